/** The texts of lists vary with their filters, so few of them are used so often. */
const USES_BEFORE_NAME = 10
/** A server process stores each named statement with its plan: 10 to 50 kB. */
const NAMES_MAXIMUM = 100
const COUNTED_MAXIMUM = 1_000

/** A migration that adds a column would make the prepared statement fail: "cached plan must not change result type". */
const EVERY_COLUMN = /\b(select|returning)\s+\*|\.\*/i

/** A connection prepares a named statement once: docs/decisions/33-prepared-statements.md. */
export class PostgresStatements {
  private uses = new Map<string, number>()
  private names = new Map<string, string>()

  nameOf(text: string): string | undefined {
    const name = this.names.get(text)
    if (name !== undefined || this.names.size >= NAMES_MAXIMUM) return name
    const uses = (this.uses.get(text) ?? 0) + 1
    if (this.uses.size >= COUNTED_MAXIMUM) this.uses.clear()
    this.uses.set(text, uses)
    if (uses <= USES_BEFORE_NAME || EVERY_COLUMN.test(text)) return undefined
    this.uses.delete(text)
    const newName = `accounts_${this.names.size}`
    this.names.set(text, newName)
    return newName
  }
}
