import { type TObject, type TProperties, type TSchema, Type } from 'typebox'
import { ERROR_CODES, ERRORS, type ErrorCode } from './errors.ts'

/** A string that may be null, in the one form that validator, serializer and OpenAPI 3.1 all take. */
export const NullableString = Type.Unsafe<string | null>({ type: ['string', 'null'] })
export const Timestamp = Type.String({ format: 'date-time' })
export const NullableTimestamp = Type.Unsafe<string | null>({ type: ['string', 'null'], format: 'date-time' })
/** An object of arbitrary properties. */
export const Properties = Type.Record(Type.String(), Type.Unknown())

/**
 * What a line has none of: control characters, since PostgreSQL takes no NUL; ends of lines; and what turns the direction
 * of the text around it, which makes one name look like another (Unicode TR 36, section 2.1).
 */
const NOT_IN_LINE = '\\u0000-\\u001f\\u007f\\u2028-\\u202e\\u2066-\\u2069'
export const LINE_PATTERN = `^[^${NOT_IN_LINE}]*$`
export const LINE_DESCRIPTION = 'one line of text, without control and text-direction characters'
/** The same, with something in it to see. */
const VISIBLE_LINE_PATTERN = `^(?=.*\\S)[^${NOT_IN_LINE}]*$`
const VISIBLE_LINE_DESCRIPTION = `${LINE_DESCRIPTION}, and not only spaces`
/** Text that people read, within a length in UTF-16 units. */
export const Line = (maxLength: number) =>
  Type.String({ minLength: 1, maxLength, pattern: VISIBLE_LINE_PATTERN, description: VISIBLE_LINE_DESCRIPTION })
/** What an image may be given as: it is shown to others, so nothing that a browser might run. */
export const Picture = Type.String({
  maxLength: 2048,
  format: 'uri',
  pattern: '^(?:https?://|data:image/)',
  description: 'the address of a picture: https://, http:// or data:image/',
})
export const NullablePicture = Type.Unsafe<string | null>({ ...Picture, type: ['string', 'null'] })
/** Checked, trimmed and lower-cased by `parseEmailAddress`; the bound keeps hostile input cheap (CVE-2026-62317). */
export const EmailAddress = Type.String({ minLength: 1, maxLength: 320, description: 'an e-mail address in ASCII' })
/** Judged by `checkNewPassword`, which has a code for each complaint. */
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

/** One of a closed list of words. */
export const OneOf = <const T extends string>(...words: T[]) => Type.Unsafe<T>({ type: 'string', enum: words })

/** A query: a parameter that is not named here is ignored, see `ignoreUnknownParameters`. A query that filters is `Fields`. */
export const Query = <T extends TProperties>(properties: T): TObject<T> => Type.Object(properties)

/** A request body or query: a field that is not named here is refused. */
export const Fields = <T extends TProperties>(properties: T): TObject<T> =>
  Type.Object(properties, { additionalProperties: false })

const ErrorBody = Type.Object(
  {
    code: Type.String({ description: 'a stable name, for programs' }),
    message: Type.String({ description: 'a sentence, for people' }),
    field: Type.Optional(Type.String({ description: 'the field of the request that is wrong' })),
  },
  { description: 'What went wrong' },
)

/** The answer of what has nothing more to say than that it was done. */
export const StatusAnswer = Type.Object({ status: Type.Boolean() })

/** A document for browsers. */
export const PageAnswer = { 200: Type.Unsafe<string>({ type: 'null', description: 'A page' }) }

/** The 302 of a route that sends the browser on; the OpenAPI document prints it. Spread it among the answers. */
export function redirectAnswer<const T extends TSchema>(description: string, body?: T): { 302: T | TSchema } {
  const headers = { location: { type: 'string', description } }
  return { 302: { ...(body ?? { type: 'null' }), description, headers } }
}

type Answers<T extends TSchema> = { 200: T } & Record<number, TSchema>

/**
 * The answers of a route: the good one, and the errors of what the route does. Those that follow from its declaration,
 * such as UNAUTHORIZED, are added by `describeApi`.
 */
export function answers<T extends TSchema>(success: T, ...codes: ErrorCode[]): Answers<T> {
  return { ...errorAnswers(codes), 200: success }
}

/** The schema of an error response. The codes are data for programs, the description lists them for readers. */
interface ErrorSchema extends TSchema {
  description: string
  'x-error-codes': ErrorCode[]
}

/** A schema for the status of each error, with the codes in the order of the catalogue. */
export function errorAnswers(codes: readonly ErrorCode[]): Record<number, ErrorSchema> {
  const byStatus: Record<number, ErrorSchema> = {}
  for (const code of ERROR_CODES.filter((known) => codes.includes(known))) {
    const status = ERRORS[code][0]
    const all = [...(byStatus[status]?.['x-error-codes'] ?? []), code]
    byStatus[status] = { ...ErrorBody, description: all.join(', '), 'x-error-codes': all }
  }
  return byStatus
}

/** The error codes in the responses of a route. */
export function errorCodesIn(response: unknown): ErrorCode[] {
  const schemas = Object.values((response ?? {}) as Record<number, Partial<ErrorSchema>>)
  return schemas.flatMap((schema) => schema['x-error-codes'] ?? [])
}
