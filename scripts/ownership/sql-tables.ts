/** A piece of SQL text, or a table position filled from code. `at` is a position in the source file. */
export interface SqlToken {
  text: string
  at: number
  kind: 'word' | 'quoted' | 'mark'
}

/** A table that SQL text names. */
export interface TableUse {
  name: string
  at: number
  writes: boolean
}

// In this order: comments, strings and dollar-quoted bodies hold no table names of the statement.
const lexer =
  /--[^\n]*|\/\*[\s\S]*?\*\/|[eE]'(?:''|\\.|[^'\\])*'|'(?:''|[^'])*'|(\$\w*\$)[\s\S]*?\1|"((?:""|[^"])+)"|([A-Za-z_]\w*)|([^\s\w])/g

/** Cuts SQL text into words and marks. `at` is where the text starts in its file. */
export function readTokens(text: string, at: number): SqlToken[] {
  const tokens: SqlToken[] = []
  for (const match of text.matchAll(lexer)) {
    const [, , quoted, word, mark] = match
    const position = at + match.index
    if (quoted !== undefined)
      tokens.push({ text: quoted.replaceAll('""', '"'), at: position, kind: 'quoted' })
    else if (word !== undefined) tokens.push({ text: word.toLowerCase(), at: position, kind: 'word' })
    else if (mark !== undefined) tokens.push({ text: mark, at: position, kind: 'mark' })
  }
  return tokens
}

const functionsWithFrom = new Set(['extract', 'substring', 'trim', 'overlay', 'position'])
const endsList = new Set(
  'where group order having limit offset fetch union intersect except returning set window for select values do'.split(
    ' ',
  ),
)
const notAStatement = new Set(['for', 'do', 'key', 'on', 'before', 'after', 'or', 'no', 'then'])
const statements = new Set(['select', 'with', 'values', 'insert', 'update', 'delete'])

/**
 * The tables a statement names, found by where a table may stand: after `from`, `join`, `using`, `into`, `update`,
 * `table`, `truncate`, `copy`, and after the commas of a `from` list. Columns and aliases of the same name are not
 * tables.
 */
export function findTables(tokens: SqlToken[]): TableUse[] {
  const found: TableUse[] = []
  // One level per open parenthesis: the word before it, and whether a comma brings another table.
  const levels = [{ opener: '', list: false }]
  const word = (i: number) => (tokens[i]?.kind === 'word' ? tokens[i].text : '')
  const mark = (i: number, text: string) => tokens[i]?.kind === 'mark' && tokens[i].text === text

  const take = (start: number, writes: boolean): void => {
    let i = start
    while (['only', 'lateral', 'table', 'if', 'not', 'exists'].includes(word(i))) i++
    if (mark(i, '(')) {
      if (!statements.has(word(i + 1))) take(i + 1, writes)
      return
    }
    while (mark(i + 1, '.')) i += 2
    const token = tokens[i]
    if (!token || token.kind === 'mark') return
    // `from name (` calls a function; `insert into name (` lists columns.
    if (mark(i + 1, '(') && !writes) return
    found.push({ name: token.text, at: token.at, writes })
  }

  tokens.forEach((token, i) => {
    const level = levels.at(-1)!
    if (token.kind === 'mark') {
      if (token.text === '(') levels.push({ opener: word(i - 1), list: false })
      else if (token.text === ')') {
        if (levels.length > 1) levels.pop()
      } else if (token.text === ',' && level.list) take(i + 1, false)
      return
    }
    if (token.kind !== 'word') return
    const before = word(i - 1)
    if (token.text === 'from') {
      if (before === 'distinct' || functionsWithFrom.has(level.opener)) return
      level.list = true
      take(i + 1, before === 'delete')
    } else if (token.text === 'join') take(i + 1, false)
    else if (token.text === 'using' && !mark(i + 1, '(')) {
      level.list = true
      take(i + 1, false)
    } else if (token.text === 'into') take(i + 1, true)
    else if (token.text === 'update' && !notAStatement.has(before)) take(i + 1, true)
    else if (token.text === 'truncate' || token.text === 'copy') take(i + 1, true)
    else if (token.text === 'table' && before !== 'truncate') take(i + 1, true)
    else if (endsList.has(token.text)) level.list = false
  })
  return found
}
