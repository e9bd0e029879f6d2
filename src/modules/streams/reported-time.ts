/** A time in a client's report of what was watched: ISO 8601, or milliseconds since 1970 in digits. Null if none. */
export function readReportedTime(text: string): Date | null {
  const time = new Date(/^\d{10,14}$/.test(text) ? Number(text) : text)
  const year = time.getUTCFullYear()
  return Number.isNaN(year) || year < 2000 || year > 2200 ? null : time
}
