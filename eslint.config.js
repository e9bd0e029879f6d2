import { defineConfig } from 'eslint/config'
import tseslint from 'typescript-eslint'
import { hubbub } from './scripts/eslint-rules.js'

const tests = ['**/*.test.ts', 'test/**/*.ts', 'bench/**/*.ts']
const configs = ['*.config.js', '*.config.ts', '*.cjs', 'console/*.config.ts']

// `no-restricted-syntax` of a later block replaces that of an earlier one, so each block below joins these lists.
const noDefaultExport = [
  { selector: 'ExportDefaultDeclaration', message: 'Named exports only: a name is the same everywhere.' },
  { selector: 'ExportSpecifier[exported.name="default"]', message: 'Named exports only.' },
]
const noEnvironment = [
  {
    selector: 'MemberExpression[object.name="process"][property.name="env"]',
    message: 'Settings come from src/config.ts, which checks and documents them.',
  },
  {
    selector: 'VariableDeclarator[init.name="process"] > ObjectPattern > Property[key.name="env"]',
    message: 'Settings come from src/config.ts, which checks and documents them.',
  },
  {
    selector: 'ImportDeclaration[source.value=/^(node:)?process$/] > ImportSpecifier[imported.name="env"]',
    message: 'Settings come from src/config.ts, which checks and documents them.',
  },
]
const noClock = [
  {
    selector: 'MemberExpression[object.name="Date"][property.name="now"]',
    message: 'Use now() of platform/clock.ts, which tests can move.',
  },
  {
    selector: 'NewExpression[callee.name="Date"][arguments.length=0], CallExpression[callee.name="Date"]',
    message: 'Use now() of platform/clock.ts, which tests can move.',
  },
]
const noRandom = [
  {
    selector: 'MemberExpression[object.name="Math"][property.name="random"]',
    message: 'Use newId() or newSecret() of platform/ids.ts.',
  },
  {
    selector: 'MemberExpression[property.name=/^(randomUUID|randomBytes|randomInt|getRandomValues)$/]',
    message: 'Use newId() or newSecret() of platform/ids.ts.',
  },
  {
    selector:
      'ImportDeclaration[source.value=/^(node:)?crypto$/] > ImportSpecifier[imported.name=/^(randomUUID|randomBytes|randomInt|getRandomValues|randomFillSync|randomFill)$/]',
    message: 'Use newId() or newSecret() of platform/ids.ts.',
  },
]
const runners = '/^(it|test|describe|suite|bench)$/'
const notRun = '/^(skip|only|todo)$/'
const everyTestRuns = [
  {
    selector: `MemberExpression[property.name=${notRun}]:matches([object.name=${runners}], [object.object.name=${runners}])`,
    message: 'Every test runs, every time.',
  },
  {
    selector: `CallExpression[callee.name=${runners}] > ObjectExpression > Property[key.name=${notRun}]`,
    message: 'Every test runs, every time.',
  },
  {
    selector:
      'CallExpression > MemberExpression.callee[object.name=/^(ctx|context|t|task)$/][property.name="skip"]',
    message: 'Every test runs, every time.',
  },
]

export default defineConfig(
  {
    ignores: ['**/node_modules/', 'data/', 'coverage/', '**/dist/', 'db/tables.ts'],
  },
  {
    files: ['**/*.ts', '**/*.tsx'],
    extends: [tseslint.configs.recommendedTypeChecked],
    languageOptions: { parserOptions: { projectService: true } },
    linterOptions: { reportUnusedDisableDirectives: 'error' },
    plugins: { hubbub },
    rules: {
      'hubbub/file-names': 'error',
      'hubbub/disable-reason': 'error',
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': ['error', { ignoreVoid: true }],
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { requireDefaultForNonUnion: true, considerDefaultExhaustiveForUnions: false },
      ],
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/no-import-type-side-effects': 'error',
      '@typescript-eslint/ban-ts-comment': [
        'error',
        { 'ts-expect-error': 'allow-with-description', 'ts-ignore': true, 'ts-nocheck': true },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', destructuredArrayIgnorePattern: '^_' },
      ],
      // Our objects are closures, written as methods: taking one off its object is fine.
      '@typescript-eslint/unbound-method': 'off',
      // Calls assertions needless that tsc needs (contextual typing of generics), and fixes them away.
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      // Refuses Promise.all over values of which some are promises, which is what Promise.all is for.
      '@typescript-eslint/await-thenable': 'off',
      // What an aborted signal or a stream gives as its reason is passed on as it is.
      '@typescript-eslint/prefer-promise-reject-errors': [
        'error',
        { allowThrowingAny: true, allowThrowingUnknown: true },
      ],
      // An async function without await is how an interface that answers promises is met.
      '@typescript-eslint/require-await': 'off',
      eqeqeq: ['error', 'always', { null: 'ignore' }],
      'max-lines': ['error', 400],
      'no-console': 'error',
      'no-warning-comments': ['error', { terms: ['todo', 'fixme', 'xxx'], location: 'anywhere' }],
      'no-restricted-syntax': ['error', ...noDefaultExport, ...noEnvironment, ...noClock, ...noRandom],
    },
  },
  {
    files: ['src/platform/clock.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...noDefaultExport, ...noEnvironment, ...noRandom],
    },
  },
  {
    files: ['src/platform/ids.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...noDefaultExport, ...noEnvironment, ...noClock],
    },
  },
  {
    files: ['src/config.ts'],
    rules: {
      'no-restricted-syntax': ['error', ...noDefaultExport, ...noClock, ...noRandom],
    },
  },
  {
    // The command line talks to a terminal.
    files: ['src/main.ts', 'src/commands/**/*.ts', 'scripts/**/*.ts'],
    rules: { 'no-console': 'off' },
  },
  {
    // Tests start processes, measure time and read untyped answers.
    files: tests,
    rules: {
      'no-restricted-syntax': ['error', ...noDefaultExport, ...everyTestRuns],
      'no-console': 'off',
      '@typescript-eslint/no-base-to-string': 'off',
      '@typescript-eslint/no-unsafe-enum-comparison': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
  {
    files: configs,
    rules: { 'no-restricted-syntax': 'off' },
  },
)
