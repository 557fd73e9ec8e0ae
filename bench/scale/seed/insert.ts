import { ID_KINDS, type IdKind } from '../../../server/platform/crypto/tokens.ts'
import { ID_DIGITS } from '../names.ts'

export interface Values {
  users: number
  /** Epoch milliseconds. */
  now: number
  /** The hash of the password that all users have. */
  passwordHash: string
  /** The secret of the authenticator app that all users with a second step have. */
  encryptedSecret: string
  /** The rows of the table `names`. */
  names: number
}

export interface Insert {
  table: string
  statement: string
}

export const DAY = 86_400_000
export const HOUR = 3_600_000
export const USER_AGENT = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

/** The time of row n: the first row is so many days old, and the last of `count` rows is new. */
export function ageIn(now: number): (days: number, count: number) => string {
  return (days, count) => `${now} - ${days * DAY} * (${count} - n) / ${count}`
}

/** `rest` joins or filters the numbers from 1 to `count`, whose column is n. */
export function insert(table: string, count: number, rest: string, columns: Record<string, string>): Insert {
  const names = Object.keys(columns).map((name) => `"${name}"`)
  const statement = `insert into "${table}" (${names.join(', ')})
    with recursive numbers(n) as (
      select cast(1 as bigint) union all select n + 1 from numbers where n < ${count})
    select ${Object.values(columns).join(', ')} from numbers ${rest}`
  return { table, statement }
}

/** The same as `idOf`. */
export function id(kind: IdKind, number = 'n'): string {
  if (!(kind in ID_KINDS)) throw new Error(`${kind} is no kind of id`)
  return `'${kind}_' || ${padded(ID_DIGITS, number)}`
}

/** Both engines understand it, and calls of own functions take longer. */
export function padded(digits: number, number = 'n'): string {
  return `substr('${'0'.repeat(digits)}' || (${number}), length(cast(${number} as text)) + 1)`
}

export function text(value: string): string {
  return `'${value.replaceAll("'", "''")}'`
}
