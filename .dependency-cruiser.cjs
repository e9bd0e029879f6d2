// Who may import whom. Every rule names its reason in one line; docs/decisions/boundaries.md tells the rest.

const tests = '\\.test\\.ts$'
const sources = { path: '^src/', pathNot: tests }

/** A role's files in a slice, as `store.ts`, `store-pins.ts`, `pin-store.ts` or `store/pins.ts`. */
const roles = (...names) => `^src/modules/.+[-/](${names.join('|')})[-./]`
const stores = '^src/(modules|delivery)/.+[-/]store[-./]'
const packages = (...names) => names.map((name) => `(^|/)node_modules/(@types/)?${name}/`)
const npm = ['npm', 'npm-dev', 'npm-optional', 'npm-peer', 'npm-no-pkg', 'npm-unknown']

const forbid = (name, comment, from, to) => ({ name, severity: 'error', comment, from, to })

module.exports = {
  forbidden: [
    forbid(
      'no-cycles',
      'Files in a ring can only be understood, tested and changed together.',
      {},
      { circular: true },
    ),
    forbid(
      'resolvable',
      'An import that leads nowhere hides its file from every other rule.',
      {},
      { couldNotResolve: true },
    ),
    forbid(
      'platform-knows-nothing',
      'Platform is the engine room: it serves any domain, so it imports nothing of ours.',
      { path: '^src/platform/', pathNot: tests },
      { path: '^(src|test|bench|scripts|db)/', pathNot: '^src/platform/' },
    ),
    forbid(
      'kernel-knows-no-resource',
      'The kernel serves every slice alike, so it knows platform, itself and the table types only.',
      { path: '^src/kernel/', pathNot: tests },
      { path: '^(src|test|bench|scripts|db)/', pathNot: ['^src/(kernel|platform)/', '^db/tables\\.ts$'] },
    ),
    forbid(
      'slices-meet-at-the-door',
      'What is not in index.ts is private, so that a slice can change inside without asking the others.',
      { path: '^src/modules/([^/]+)/' },
      { path: '^src/modules/[^/]+/', pathNot: ['^src/modules/$1/', '^src/modules/[^/]+/index\\.ts$'] },
    ),
    forbid(
      'delivery-knows-no-slice',
      'Sinks deliver any event by its definition; one that knew a slice would grow a switch over event names.',
      { path: '^src/delivery/' },
      { path: '^src/modules/' },
    ),
    forbid(
      'app-lists-the-slices',
      'One file composes the server. Commands that need no server may use a door; nothing else knows a slice.',
      { path: '^src/', pathNot: ['^src/modules/', '^src/app\\.ts$', '^src/commands/', tests] },
      { path: '^src/modules/' },
    ),
    forbid(
      'pure-no-store',
      'Presenting, permitting and describing events are pure: the same input gives the same output, without I/O.',
      { path: roles('present', 'policy', 'events'), pathNot: tests },
      { path: stores, dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'pure-no-platform',
      'Pure files touch no engine, clock or id source; what they need is an argument.',
      { path: roles('present', 'policy', 'events'), pathNot: tests },
      { path: '^src/platform/', dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'pure-no-node',
      'Pure files run anywhere: no package and no Node module, only types of them.',
      { path: roles('present', 'policy', 'events'), pathNot: tests },
      { dependencyTypes: [...npm, 'core'], dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'routes-no-store',
      'A route calls one action or query, where the rules are; a store call would walk past them.',
      { path: roles('routes'), pathNot: tests },
      { path: stores, dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'sql-in-stores',
      'All SQL on a table is in the store that owns it, so only stores build queries (types are free).',
      { path: '^src/', pathNot: [stores, '^src/platform/(database|jobs)/', '^src/kernel/outbox/', tests] },
      { path: packages('kysely'), dependencyTypesNot: ['type-only'] },
    ),
    forbid(
      'packages-in-platform',
      'Drivers and engines enter through platform; elsewhere only these packages, which touch nothing outside.',
      { path: '^src/', pathNot: ['^src/platform/', tests] },
      {
        dependencyTypes: npm,
        pathNot: packages('kysely', 'typebox', 'fastify', 'ajv', 'tiny-lru', 'cli-progress'),
      },
    ),
    forbid(
      'effects-in-platform',
      'Files, sockets, processes and threads are engines too: platform wraps them, the command line starts them.',
      { path: '^src/', pathNot: ['^src/platform/', '^src/main\\.ts$', '^src/commands/', tests] },
      {
        dependencyTypes: ['core'],
        dependencyTypesNot: ['type-only'],
        path: '^(node:)?(child_process|cluster|dgram|dns|fs|http|http2|https|inspector|net|os|process|readline|repl|tls|tty|v8|vm|worker_threads)(/|$)',
      },
    ),
    forbid('no-tests-in-sources', 'What ships must run without what tests it.', sources, {
      path: ['^(test|bench|scripts)/', tests],
    }),
    forbid('no-dev-packages-in-sources', 'An installation has no development packages.', sources, {
      dependencyTypes: ['npm-dev', 'npm-no-pkg'],
      dependencyTypesNot: ['type-only'],
    }),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    // Type-only imports count: a cycle of types ties files together as well.
    tsPreCompilationDeps: true,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      mainFields: ['main', 'types'],
    },
  },
}
