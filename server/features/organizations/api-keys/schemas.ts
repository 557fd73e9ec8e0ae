import { Type } from 'typebox'
import { OrganizationFields } from '../../../core/memberships/schemas.ts'
import { JsonObjectField } from '../../../platform/http/json-object.ts'
import { pageFields } from '../../../platform/http/paging.ts'
import {
  Described,
  Fields,
  Id,
  Line,
  NullableTimestamp,
  OneOf,
  Query,
  Timestamp,
} from '../../../platform/http/schemas.ts'
import { API_KEY_ROLES } from './roles.ts'

const EXPIRY_SECONDS_MAXIMUM = 10 * 365 * 86_400
const ExpiresIn = Type.Optional(
  Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    minimum: 60,
    maximum: EXPIRY_SECONDS_MAXIMUM,
    description: 'seconds from now; null: the API key does not expire',
  }),
)
const Role = OneOf(...API_KEY_ROLES)

/** With all fields of the official client. Quotas and refills do not exist here: they are null, zero or false. */
export const ApiKey = Type.Object({
  id: Type.String(),
  name: Type.String(),
  role: Role,
  start: Type.String({ description: 'the first characters of the API key' }),
  prefix: Type.String(),
  configId: Type.String(),
  organizationId: Type.String(),
  referenceId: Type.String({ description: 'the same as organizationId, for the official client' }),
  enabled: Type.Boolean(),
  expiresAt: NullableTimestamp,
  lastRequest: Described(NullableTimestamp, 'time of the last use, to the minute'),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  metadata: Type.Unsafe<Record<string, unknown> | null>({ type: ['object', 'null'], additionalProperties: true }),
  permissions: Type.Null(),
  remaining: Type.Null(),
  refillAmount: Type.Null(),
  refillInterval: Type.Null(),
  lastRefillAt: Type.Null(),
  rateLimitEnabled: Type.Boolean(),
  rateLimitMax: Type.Null(),
  rateLimitTimeWindow: Type.Null(),
  requestCount: Type.Integer(),
})

const Metadata = Type.Optional(JsonObjectField('an object or its JSON text, 4 KiB at most'))

export const CreateApiKeyBody = Fields({
  name: Line(100),
  role: Type.Optional(Role),
  expiresIn: ExpiresIn,
  metadata: Metadata,
  ...OrganizationFields,
})
export const CreatedApiKey = Type.Object({
  ...ApiKey.properties,
  key: Type.String({ description: 'the API key; no other response shows it' }),
})

const OVERLAP_SECONDS_MAXIMUM = 604_800
export const RotateApiKeyBody = Fields({
  keyId: Id,
  overlapSeconds: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: OVERLAP_SECONDS_MAXIMUM,
      description: 'how long the old API key stays valid; default a day',
    }),
  ),
})
export const RotatedApiKey = Type.Object({ ...CreatedApiKey.properties, replacedKeyId: Type.String() })

export const GetApiKeyQuery = Query({ id: Id })

export const API_KEYS_PER_PAGE_MAXIMUM = 100
export const ListApiKeysQuery = Query({
  ...OrganizationFields,
  ...pageFields(API_KEYS_PER_PAGE_MAXIMUM),
  sortBy: Type.Optional(OneOf('createdAt', 'updatedAt', 'name', 'expiresAt')),
  sortDirection: Type.Optional(OneOf('asc', 'desc')),
})
export const ListedApiKey = Type.Object({
  ...ApiKey.properties,
  rotatedAt: NullableTimestamp,
  createdBy: Type.Object({
    userId: Type.String(),
    name: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'null when the user is deleted' }),
    isMember: Type.Boolean({ description: 'whether the user is still a member of the organization' }),
  }),
})
export const ListApiKeysResponse = Type.Object({
  apiKeys: Type.Array(ListedApiKey),
  total: Type.Integer(),
  limit: Type.Integer(),
  offset: Type.Integer(),
})

export const UpdateApiKeyBody = Fields({
  keyId: Id,
  name: Type.Optional(Line(100)),
  enabled: Type.Optional(Type.Boolean()),
  role: Type.Optional(Role),
  expiresIn: ExpiresIn,
  metadata: Metadata,
})

export const DeleteApiKeyBody = Fields({ keyId: Id })

export const VerifyApiKeyBody = Fields({ key: Type.String({ minLength: 1, maxLength: 256 }) })
export const VerifyApiKeyResponse = Type.Object({
  valid: Type.Boolean(),
  error: Type.Union([Type.Object({ code: Type.String(), message: Type.String() }), Type.Null()]),
  key: Type.Union([Type.Object({ ...ApiKey.properties, organizationSlug: Type.String() }), Type.Null()]),
})
