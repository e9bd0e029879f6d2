interface Node<T> {
  children: Map<string, Node<T>>
  values: Set<T>
}

export interface TopicTrie<T> {
  /** Stores a value under a filter; true when it is the first value of that filter. */
  add: (filter: string, value: T) => boolean
  /** Removes it; true when it was the last value of that filter. */
  remove: (filter: string, value: T) => boolean
  /** The value sets of all filters that match a topic. One value may be in several sets. */
  match: (topic: string) => ReadonlySet<T>[]
  /** Whether any filter matches a topic. */
  matches: (topic: string) => boolean
  /** All filters that hold a value. */
  filters: () => string[]
}

/** An index of topic filters by level, so that a lookup costs what it matches and not what is stored. */
export function createTopicTrie<T>(): TopicTrie<T> {
  const root = createNode<T>()

  return {
    add(filter, value) {
      let node = root
      for (const level of filter.split('/')) {
        let child = node.children.get(level)
        if (!child) node.children.set(level, (child = createNode()))
        node = child
      }
      if (node.values.has(value)) return false
      node.values.add(value)
      return node.values.size === 1
    },
    remove: (filter, value) => removeBelow(root, filter.split('/'), 0, value),
    match(topic) {
      const found: ReadonlySet<T>[] = []
      walk(root, topic.split('/'), 0, topic.startsWith('$'), (values) => {
        found.push(values)
        return false
      })
      return found
    },
    matches: (topic) => walk(root, topic.split('/'), 0, topic.startsWith('$'), () => true),
    filters() {
      const found: string[] = []
      collectFilters(root, [], found)
      return found
    },
  }
}

function createNode<T>(): Node<T> {
  return { children: new Map(), values: new Set() }
}

function removeBelow<T>(node: Node<T>, levels: string[], depth: number, value: T): boolean {
  if (depth === levels.length) return node.values.delete(value) && node.values.size === 0
  const level = levels[depth] as string
  const child = node.children.get(level)
  if (!child) return false
  const last = removeBelow(child, levels, depth + 1, value)
  if (last && child.values.size === 0 && child.children.size === 0) node.children.delete(level)
  return last
}

// Visits the value sets that match until the visitor answers true; says whether it did.
function walk<T>(
  node: Node<T>,
  levels: string[],
  depth: number,
  reserved: boolean,
  visit: (values: ReadonlySet<T>) => boolean,
): boolean {
  const wildcards = depth > 0 || !reserved
  const rest = wildcards ? node.children.get('#') : undefined
  if (rest && visit(rest.values)) return true
  if (depth === levels.length) return node.values.size > 0 && visit(node.values)
  const exact = node.children.get(levels[depth] as string)
  if (exact && walk(exact, levels, depth + 1, reserved, visit)) return true
  const any = wildcards ? node.children.get('+') : undefined
  return any !== undefined && walk(any, levels, depth + 1, reserved, visit)
}

function collectFilters<T>(node: Node<T>, path: string[], found: string[]): void {
  if (node.values.size > 0) found.push(path.join('/'))
  for (const [level, child] of node.children) collectFilters(child, [...path, level], found)
}
