import assert from 'node:assert/strict'

/** The possible values of a field: one after an answer, several after requests without an answer. */
export class Known<T> {
  private possible: T[]

  constructor(...possible: T[]) {
    this.possible = possible
  }

  /** Adds a possible value when a request is sent. */
  attempt(value: T): void {
    this.possible.push(value)
  }

  /** Sets the value when the answer arrives. */
  acknowledge(value: T): void {
    this.possible = [value]
  }

  /** Compares with the database after a restart. @throws AssertionError when an acknowledged value is lost */
  observe(value: T, what: string): void {
    assert.ok(this.possible.includes(value), `${what} is ${value}, and must be ${this.possible.join(' or ')}`)
    this.possible = [value]
  }

  /** The value, or undefined while several values are possible. */
  get certain(): T | undefined {
    return this.possible.length === 1 ? this.possible[0] : undefined
  }

  get candidates(): T[] {
    return [...this.possible].reverse()
  }
}

interface KnownOrganization {
  exists: Known<boolean>
  /** Undefined until the answer arrives. */
  id?: string
}

/** The expected data of one user: acknowledged values, and possible values of unanswered requests. */
export class Account {
  email: string
  name: string
  exists = new Known(false)
  names: Known<string>
  passwords: Known<string>
  renamesAcknowledged = 0
  renamesAttempted = 0
  /** Whether each session is live, by its token. */
  sessions = new Map<string, Known<boolean>>()
  /** Organizations by slug. */
  organizations = new Map<string, KnownOrganization>()
  /** Whether each invitation exists, by its email address. */
  invitations = new Map<string, Known<boolean>>()

  constructor(email: string, name: string, password: string) {
    this.email = email
    this.name = name
    this.names = new Known(name)
    this.passwords = new Known(password)
  }

  /** Tokens of sessions that are known to be live. */
  get liveTokens(): string[] {
    return [...this.sessions].filter(([, live]) => live.certain === true).map(([token]) => token)
  }
}
