import { type Static, type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { ERROR_CODES, ERRORS, type ErrorCode } from './errors.ts'
import { INVISIBLE_CHARACTERS } from './names.ts'

/** The form of a nullable string that the validator, the serializer and OpenAPI 3.1 all support. */
export const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] })
export const Timestamp = Type.String({ format: 'date-time' })
export const NullableTimestamp = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })
export const Properties = Type.Record(Type.String(), Type.Unknown())

/** PostgreSQL can't store NUL. Text-direction characters make names look like others (Unicode TR 36, section 2.1). */
const NOT_IN_LINE = '\\u0000-\\u001f\\u007f\\u2028-\\u202e\\u2066-\\u2069'
export const LINE_PATTERN = `^[^${NOT_IN_LINE}]*$`
export const LINE_DESCRIPTION = 'one line of text, without control and text-direction characters'
const VISIBLE_LINE_PATTERN = `^(?=.*[^\\s${INVISIBLE_CHARACTERS}])[^${NOT_IN_LINE}]*$`
const VISIBLE_LINE_DESCRIPTION = `${LINE_DESCRIPTION}, and not only spaces or invisible characters`
/** A line of visible text. The length is in UTF-16 units. */
export const Line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: VISIBLE_LINE_PATTERN, description: VISIBLE_LINE_DESCRIPTION })
/** The bound keeps hostile input cheap (CVE-2026-62317). `parseEmailAddress` checks the form. */
export const EmailAddress = Type.String({ minLength: 1, maxLength: 320, description: 'an email address in ASCII' })
/** The schema checks no origin: `parseOptionalCallbackUrl` does. */
export const OptionalCallbackUrl = Type.Optional(
  Type.String({
    maxLength: 2048,
    description: 'where the browser goes next: a path of this service, or an address on an allowed origin',
  }),
)
/** `parseNewPassword` checks the rules, with a code for each. */
export const Password = Type.String({ minLength: 1 })
export const Id = Type.String({
  minLength: 1,
  maxLength: 64,
  pattern: '^[\\x21-\\x7e]+$',
  description: 'at most 64 ASCII characters, without spaces',
})
export const NullableId = Type.Unsafe<string | null>({ ...Id, type: ['string', 'null'] })
export const Secret = Type.String({
  minLength: 1,
  maxLength: 256,
  pattern: '^[\\x21-\\x7e]+$',
  description: 'at most 256 ASCII characters, without spaces',
})

export const OneOf = <const T extends string>(...words: T[]) => Type.Unsafe<T>({ type: 'string', enum: words })

export const Described = <T extends TSchema>(schema: T, description: string) =>
  Type.Unsafe<Static<T>>({ ...schema, description })

/** @param description with the default */
export const OptionalOneOf = <const T extends readonly string[]>(words: T, description: string) =>
  Type.Optional(Type.Unsafe<T[number]>({ type: 'string', enum: words, description }))

/** Unknown parameters are ignored, see `ignoreUnknownParameters`. A query that filters is `Fields`. */
export const Query = <T extends TProperties>(properties: T): TObject<T> => Type.Object(properties)

/** Unknown fields are refused. */
export const Fields = <T extends TProperties>(properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false })

export const NoFields = Fields({})

const ErrorBody = Type.Object(
  {
    code: Type.String({ description: 'a stable name, for programs' }),
    message: Type.String({ description: 'one sentence for a user to read' }),
    field: Type.Optional(Type.String({ description: 'the field of the request that is wrong' })),
    url: Type.Optional(Type.String({ description: 'the page where a user solves the problem' })),
  },
  { description: 'An error' },
)

export const StatusResponse = Type.Object({ status: Type.Boolean() })

export const SuccessResponse = Type.Object({ success: Type.Boolean() })

export const PageResponse = { 200: Type.Unsafe<string>({ type: 'null', description: 'A page' }) }

/** For a spread into the responses of a route. */
export function redirectResponse<const T extends TSchema>(description: string, body?: T): { 302: T | TSchema } {
  const headers = { location: { type: 'string', description } }
  return { 302: { ...(body ?? { type: 'null' }), description, headers } }
}

type Responses<T extends TSchema> = { 200: T } & Record<number, TSchema>

/** `describeApi` adds the errors of the access rule, such as UNAUTHORIZED. */
export function responses<T extends TSchema>(success: T, ...codes: ErrorCode[]): Responses<T> {
  return { ...errorResponses(codes), 200: success }
}

/** The codes are for programs, and the description lists them for readers. */
interface ErrorSchema extends TSchema {
  description: string
  'x-error-codes': ErrorCode[]
}

export function errorResponses(codes: readonly ErrorCode[]): Record<number, ErrorSchema> {
  const byStatus: Record<number, ErrorSchema> = {}
  for (const code of ERROR_CODES.filter((known) => codes.includes(known))) {
    const status = ERRORS[code][0]
    const all = [...(byStatus[status]?.['x-error-codes'] ?? []), code]
    byStatus[status] = { ...ErrorBody, description: all.join(', '), 'x-error-codes': all }
  }
  return byStatus
}

export function errorCodesIn(response: unknown): ErrorCode[] {
  const schemas = Object.values((response ?? {}) as Record<number, Partial<ErrorSchema>>)
  return schemas.flatMap((schema) => schema['x-error-codes'] ?? [])
}
