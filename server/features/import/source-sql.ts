import { NOT_TEXTS, SOURCE_TABLES, type SourceColumns, type SourceTable } from './source-tables.ts'

/** The same statements run on both engines: only the names of the JSON functions differ. */
export interface JsonFunctions {
  object: string
  list: string
}

type Select = (functions: JsonFunctions, columns: SourceColumns) => string

/** Oldest first, so that the older of two users with the same email address is imported. */
export const selectUsers: Select = (functions, columns) => `
  select ${textOf('user', functions, columns)} as "row", accounts.list as accounts, passkeys.list as passkeys,
    twoFactors.list as "twoFactors" from "user"
  ${joinLists('account', 'userId', 'user', functions, columns)}
  ${joinLists('passkey', 'userId', 'user', functions, columns)}
  ${joinLists('twoFactor', 'userId', 'user', functions, columns)}
  order by "user"."createdAt", "user".id`

export const selectTwoFactors: Select = (functions, columns) =>
  `select ${textOf('twoFactor', functions, columns)} as "row" from "twoFactor"`

export const selectOrganizations: Select = (functions, columns) => `
  select ${textOf('organization', functions, columns)} as "row", members.list as members,
    invitations.list as invitations, apikeys.list as "apiKeys" from organization
  ${joinLists('member', 'organizationId', 'organization', functions, columns)}
  ${joinLists('invitation', 'organizationId', 'organization', functions, columns)}
  ${joinLists('apikey', 'referenceId', 'organization', functions, columns)}
  order by organization."createdAt", organization.id`

/** The API keys that belong to no organization. */
export const selectOtherApiKeys: Select = (functions, columns) => `
  select ${textOf('apikey', functions, columns)} as "row" from apikey
  ${columns.has('organization') ? 'where "referenceId" not in (select cast(id as text) from organization)' : ''}`

/** @param column counts the rows that have a value there */
export function selectCount(table: string, column?: string): string {
  const counted = column === undefined ? '*' : `"${column}"`
  return `select cast(count(${counted}) as text) as "row" from "${table}"`
}

function textOf(table: SourceTable, functions: JsonFunctions, columns: SourceColumns): string {
  return `cast(${objectOf(table, functions, columns)} as text)`
}

function objectOf(table: SourceTable, { object }: JsonFunctions, columns: SourceColumns): string {
  const { required, optional } = SOURCE_TABLES[table]
  const present = [...required, ...optional].filter((column) => columns.get(table)?.has(column))
  return `${object}(${present.map((column) => `'${column}', ${expressionOf(table, column)}`).join(', ')})`
}

/**
 * Ids as text: JSON.parse would round numbers over 2^53, and two users would have the same id. SQLite stores a number
 * also in a column of texts, such as the name 2024.
 */
function expressionOf(table: SourceTable, column: string): string {
  const value = `"${table}"."${column}"`
  return NOT_TEXTS.has(column) ? value : `cast(${value} as text)`
}

/**
 * The rows of a table as one JSON list for each owner. One grouping for the whole table needs no index, and ids are
 * compared as text, because API keys have theirs as text.
 */
function joinLists(
  table: SourceTable,
  ownerColumn: string,
  owner: SourceTable,
  functions: JsonFunctions,
  columns: SourceColumns,
): string {
  const name = `${table}s`
  if (!columns.has(table)) return `left join (select null as list) ${name} on 1 = 1`
  const rows = `${functions.list}(${objectOf(table, functions, columns)})`
  return `left join (select cast("${ownerColumn}" as text) as owner, cast(${rows} as text) as list
    from "${table}" group by cast("${ownerColumn}" as text)) ${name} on ${name}.owner = cast("${owner}".id as text)`
}
