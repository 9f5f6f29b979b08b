/** What a text column can hold: PostgreSQL knows no NUL. The leaf keeps it, escaped. */
export function text(value: string): string {
  return value.replaceAll('\0', '\uFFFD');
}
