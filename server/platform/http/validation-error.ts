import type { FastifySchemaValidationError } from 'fastify'
import { ApiError } from './errors.ts'

type Where = 'body' | 'querystring' | 'params' | 'headers'

/** The names are Fastify's. */
interface Findings {
  validation: FastifySchemaValidationError[]
  validationContext?: string | undefined
}

/** One sentence with the field and its rule, and without the value. */
export function toValidationError(
  { validation, validationContext = 'body' }: Findings,
  schemas: Partial<Record<Where, unknown>> = {},
): ApiError | undefined {
  // The other findings of an anyOf are about its first alternative only.
  const error = validation.find(({ keyword }) => keyword === 'anyOf') ?? validation[0]
  if (!error) return undefined
  const path = error.instancePath.slice(1).replaceAll('/', '.')
  const inside = (name: unknown): string => (path ? `${path}.${name}` : String(name))
  if (error.keyword === 'required') {
    const field = inside(error.params.missingProperty)
    return invalid(field, `${field} is missing.`)
  }
  if (error.keyword === 'additionalProperties') {
    const field = inside(error.params.additionalProperty)
    return invalid(field, `${field} is not a field of this request.`)
  }
  // A parameter of a query is a text, except a repeated one.
  const isRepeated = validationContext === 'querystring' && error.keyword === 'type'
  const fault = isRepeated ? 'must be sent once' : describeFault(error, schemas[validationContext as Where])
  if (!path)
    return invalid(undefined, `The ${validationContext === 'querystring' ? 'query' : validationContext} ${fault}.`)
  return invalid(path, `${path} ${fault}.`)
}

function describeFault(error: FastifySchemaValidationError, schema: unknown): string {
  const { keyword, message, params } = error
  switch (keyword) {
    case 'enum':
      return `must be ${oneOf((params.allowedValues as unknown[]).map(String))}`
    case 'type':
      return `must be ${[params.type].flat().map(String).map(withArticle).join(' or ')}`
    case 'minimum':
      return `must be at least ${params.limit}`
    case 'maximum':
      return `must be at most ${params.limit}`
    case 'pattern':
    case 'format':
    case 'anyOf': {
      // The schema describes its regular expression in words.
      const description = descriptionAt(schema, error.schemaPath)
      return description === undefined ? 'is not valid' : `must be ${description}`
    }
    case 'minItems':
    case 'minProperties':
      return 'must not be empty'
    case 'maxItems':
      return params.limit === 1 ? 'must be one value' : `must have at most ${params.limit} values`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`
    case 'maxLength':
      return `must have at most ${params.limit} characters`
    default:
      return message ?? 'is not valid'
  }
}

/** @param schemaPath of the broken rule, such as `#/properties/limit/pattern`; its description is beside it */
function descriptionAt(schema: unknown, schemaPath: string): string | undefined {
  const steps = schemaPath.split('/').slice(1, -1)
  const found = steps.reduce<unknown>((part, step) => (part as Record<string, unknown> | undefined)?.[step], schema)
  return (found as { description?: string } | undefined)?.description
}

function withArticle(type: string): string {
  if (type === 'null') return type
  return `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`
}

const NAMED_MAXIMUM = 10

function oneOf(words: string[]): string {
  if (words.length === 1) return String(words[0])
  const named = words.slice(0, NAMED_MAXIMUM).join(', ')
  return words.length > NAMED_MAXIMUM
    ? `one of ${named}, and others: /api/auth/reference has them all`
    : `one of ${named}`
}

function invalid(field: string | undefined, message: string): ApiError {
  return new ApiError('VALIDATION_ERROR', { message, ...(field !== undefined && { field }) })
}
