/** The pattern of `like` for lower-cased text that holds this one anywhere, letters' case aside. */
export function containing(text: string): string {
  return `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
}

/** Text as the database's function `search_text` has it, quoted for `like`: without case and marks. */
export function searchText(text: string): string {
  const plain = text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
  return plain.replace(/[\\%_]/g, '\\$&')
}
