import { Type } from 'typebox'
import { ApiError } from '../http/errors.ts'
import { parseTime } from '../http/time.ts'

export const TEXT_OPERATORS = ['contains', 'starts_with', 'ends_with'] as const
const LIST_OPERATORS = ['in', 'not_in'] as const
export const FILTER_OPERATORS = ['eq', 'ne', 'lt', 'lte', 'gt', 'gte', ...LIST_OPERATORS, ...TEXT_OPERATORS] as const
export type FilterOperator = (typeof FILTER_OPERATORS)[number]

export type ColumnType = 'text' | 'flag' | 'time'

/** Flags are 0 or 1, times are epoch milliseconds. */
export interface Condition<Column extends string = string> {
  column: Column
  operator: FilterOperator
  /** One value; for `in` and `not_in` one or more. */
  values: (string | number)[]
}

interface ValueRules {
  countMaximum: number
  /** Of one value, in UTF-16 units. */
  lengthMaximum: number
  pattern: string
  description: string
}

interface FilterRules<Column extends string> {
  columns: Record<Column, { type: ColumnType }>
  values: ValueRules
  describeMismatch: (column: Column, operator: FilterOperator) => string
}

/** Longer than any URL of a request, so that only the number of values limits the array. */
const JSON_ARRAY_LENGTH_MAXIMUM = 16_000

/** One value, several parameters of this name, or the text of one JSON array. */
export const FilterValue = ({ countMaximum, lengthMaximum, pattern, description }: ValueRules) => {
  const value = { type: 'string', maxLength: lengthMaximum, pattern }
  return Type.Unsafe<string | string[]>({
    anyOf: [
      value,
      { type: 'array', items: value, minItems: 1, maxItems: countMaximum },
      { type: 'string', maxLength: JSON_ARRAY_LENGTH_MAXIMUM, pattern: '^\\[' },
    ],
    description: `${description}; with in and not_in once per value, at most ${countMaximum} times, or all of them as one JSON array`,
  })
}

/** @throws ApiError VALIDATION_ERROR */
export function parseCondition<Column extends string>(
  column: Column,
  operator: FilterOperator,
  filterValue: string | string[],
  { columns, values, describeMismatch }: FilterRules<Column>,
): Condition<Column> {
  const isList = LIST_OPERATORS.some((name) => name === operator)
  const texts = readValues(filterValue, isList, values)
  const type = columns[column].type
  if (type !== 'text' && TEXT_OPERATORS.some((name) => name === operator))
    throw invalid('filterOperator', describeMismatch(column, operator))
  return { column, operator, values: texts.map((text) => parseValue(type, text)) }
}

interface FilterQuery<Column extends string> {
  filterField?: Column
  filterOperator?: FilterOperator
  filterValue?: string | string[]
}

/** @returns undefined without a filter @throws ApiError VALIDATION_ERROR */
export function parseFilter<Column extends string>(
  { filterField, filterOperator, filterValue }: FilterQuery<Column>,
  defaultColumn: Column | undefined,
  rules: FilterRules<Column>,
): Condition<Column> | undefined {
  if (filterField === undefined && filterOperator === undefined && filterValue === undefined) return undefined
  const column = filterField ?? defaultColumn
  if (column === undefined) throw missingParameter('filterField')
  if (filterValue === undefined) throw missingParameter('filterValue')
  return parseCondition(column, filterOperator ?? 'eq', filterValue, rules)
}

function missingParameter(name: string): ApiError {
  return invalid(name, `${name} is missing.`)
}

function readValues(filterValue: string | string[], isList: boolean, rules: ValueRules): string[] {
  const isArrayText = isList && typeof filterValue === 'string' && filterValue.startsWith('[')
  const texts = isArrayText ? parseArray(filterValue) : [filterValue].flat()
  if (!isList && texts.length > 1) throw invalidValue('must be one value with this filterOperator.')
  const pattern = new RegExp(rules.pattern, 'u')
  const isValid = (text: string) => text.length <= rules.lengthMaximum && pattern.test(text)
  if (texts.length === 0 || texts.length > rules.countMaximum || !texts.every(isValid))
    throw invalidValue(`must be ${rules.description}; at most ${rules.countMaximum} of them.`)
  return texts
}

function parseArray(text: string): string[] {
  try {
    const values: unknown = JSON.parse(text)
    const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)
    if (Array.isArray(values) && values.every(isPlain)) return values.map(String)
  } catch {
    // Text that is not JSON gets the same error as JSON that is not an array of plain values.
  }
  throw invalidValue(
    'must be a JSON array of texts, numbers, true or false, or one value that does not begin with a bracket.',
  )
}

function parseValue(type: ColumnType, text: string): string | number {
  if (type === 'text') return text
  if (type === 'time') return parseTime(text, 'filterValue')
  if (text === 'true' || text === 'false') return Number(text === 'true')
  throw invalidValue('must be true or false.')
}

function invalidValue(fault: string): ApiError {
  return invalid('filterValue', `filterValue ${fault}`)
}

function invalid(field: string, message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', { field, message })
}
