import { Type } from 'typebox'
import { ApiError } from './errors.ts'

interface ValueRules {
  countMaximum: number
  /** Of one value, in UTF-16 units. */
  lengthMaximum: number
  /** Of one value. */
  pattern: string
  /** The rules in words. */
  description: string
}

/** The longest address of a request is shorter. */
const JSON_ARRAY_LENGTH_MAXIMUM = 16_000

/** `filterValue` of a query: one value, several parameters of this name, or the text of one JSON array. */
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

/**
 * The values of a filter.
 * @param isList whether the operator takes several values
 * @throws ApiError VALIDATION_ERROR
 */
export function readFilterValues(filterValue: string | string[], isList: boolean, rules: ValueRules): string[] {
  const isArrayText = isList && typeof filterValue === 'string' && filterValue.startsWith('[')
  const texts = isArrayText ? parseArray(filterValue) : [filterValue].flat()
  if (!isList && texts.length > 1) throw invalid('must be one value with this filterOperator.')
  const pattern = new RegExp(rules.pattern, 'u')
  const isFit = (text: string) => text.length <= rules.lengthMaximum && pattern.test(text)
  if (texts.length === 0 || texts.length > rules.countMaximum || !texts.every(isFit))
    throw invalid(`must be ${rules.description}; at most ${rules.countMaximum} of them.`)
  return texts
}

function parseArray(text: string): string[] {
  try {
    const values: unknown = JSON.parse(text)
    const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value)
    if (Array.isArray(values) && values.every(isPlain)) return values.map(String)
  } catch {
    // Text that is no JSON is refused as JSON that is no array of plain values.
  }
  throw invalid(
    'must be a JSON array of texts, numbers, true or false, or one value that does not begin with a bracket.',
  )
}

function invalid(fault: string): ApiError {
  return new ApiError('VALIDATION_ERROR', { field: 'filterValue', message: `filterValue ${fault}` })
}
