/** The pattern of `like` for lower-cased text that holds this one anywhere, letters' case aside. */
export function containing(text: string): string {
  return `%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`
}
