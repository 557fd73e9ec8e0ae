import { Type } from 'typebox'
import {
  Described,
  Fields,
  Id,
  NullableString,
  OneOf,
  OptionalCallbackUrl,
  Password,
  Query,
  Secret,
} from '../../../platform/http/schemas.ts'

const OBSTACLES = ['LAST_ADMINISTRATOR', 'YOU_CANNOT_LEAVE_THE_ORGANIZATION_AS_THE_ONLY_OWNER'] as const
export const DeleteUserBody = Fields({
  password: Type.Optional(Password),
  token: Type.Optional(Secret),
  callbackURL: OptionalCallbackUrl,
  expectedOrganizationsDeleted: Type.Optional(
    Type.Array(Id, {
      maxItems: 1_000,
      description: 'with the password: organizationsDeleted of the preview; refused if another one would be deleted',
    }),
  ),
})
export const DeleteUserQuery = Query({ token: Type.Optional(Secret), callbackURL: OptionalCallbackUrl })
export const DeleteUserResponse = Type.Object({
  success: Type.Boolean(),
  message: Type.String(),
  callbackURL: Type.Optional(Type.String({ description: 'from the request for the link: the page to go to next' })),
})

const Reference = Type.Object({ id: Type.String(), name: Type.String(), slug: Type.String() })
export const DeletionPreview = Type.Object({
  obstacles: Type.Array(
    Type.Object({
      organizationId: Described(NullableString, 'null for LAST_ADMINISTRATOR'),
      name: NullableString,
      slug: NullableString,
      reason: Type.Unsafe<(typeof OBSTACLES)[number]>({
        ...OneOf(...OBSTACLES),
        description: 'the code that delete-user returns',
      }),
    }),
  ),
  organizationsDeleted: Type.Array(Reference, { description: 'the caller is the only member' }),
  membershipsEnded: Type.Array(Reference),
  apiKeys: Type.Integer({ description: 'API keys of organizationsDeleted, which are deleted too' }),
})
