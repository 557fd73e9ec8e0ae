import assert from 'node:assert/strict'

/** What a client knows of a value: one possibility after an answer, several after answers that never came. */
export class Known<T> {
  private possible: T[]

  constructor(...possible: T[]) {
    this.possible = possible
  }

  /** The request is on its way: from now on the value may be this one, too. */
  attempt(value: T): void {
    this.possible.push(value)
  }

  /** The answer came: the value is this one. */
  acknowledge(value: T): void {
    this.possible = [value]
  }

  /** After a restart. @throws AssertionError when an acknowledged value is not there */
  observe(value: T, what: string): void {
    assert.ok(this.possible.includes(value), `${what} is ${value}, and must be ${this.possible.join(' or ')}`)
    this.possible = [value]
  }

  /** The value; undefined while there are several possibilities. */
  get certain(): T | undefined {
    return this.possible.length === 1 ? this.possible[0] : undefined
  }

  get candidates(): T[] {
    return [...this.possible].reverse()
  }
}

interface KnownOrganization {
  exists: Known<boolean>
  /** Known with the answer. */
  id?: string
}

/** All that was acknowledged to one user, and all that is in doubt. */
export class Account {
  email: string
  name: string
  exists = new Known(false)
  names: Known<string>
  passwords: Known<string>
  renamesAcknowledged = 0
  renamesAttempted = 0
  /** By token: whether the session is live. */
  sessions = new Map<string, Known<boolean>>()
  /** By slug. */
  organizations = new Map<string, KnownOrganization>()
  /** By email address: whether the invitation exists. */
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
