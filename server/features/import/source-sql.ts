import { PICTURE_LENGTH_MAXIMUM } from '../../core/field-limits.ts'
import { NOT_TEXTS, SOURCE_TABLES, type SourceColumns, type SourceTable } from './source-tables.ts'

/** The same statements run on both engines: only the names of the JSON functions differ. */
export interface JsonFunctions {
  object: string
  list: string
}

const PICTURES = new Set(['image', 'logo'])

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

/** SQLite columns contain any type. JSON.parse would round ids over 2^53, and two users would have the same id. */
function expressionOf(table: SourceTable, column: string): string {
  const value = `"${table}"."${column}"`
  if (NOT_TEXTS.has(column)) return value
  const text = `cast(${value} as text)`
  // A batch of pictures could fill the memory. A longer one than the limit is refused anyway.
  if (PICTURES.has(column)) return `substr(${text}, 1, ${PICTURE_LENGTH_MAXIMUM + 1})`
  return isRequired(table, column) ? `coalesce(${text}, '')` : text
}

function isRequired(table: SourceTable, column: string): boolean {
  const required: readonly string[] = SOURCE_TABLES[table].required
  return required.includes(column)
}

/** One grouping for the whole table needs no index. Ids are compared as text, because API keys have theirs as text. */
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
