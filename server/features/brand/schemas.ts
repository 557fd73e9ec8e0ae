import { Type } from 'typebox'
import { NullableString, OneOf } from '../../platform/http/schemas.ts'

export const Settings = Type.Object({
  isSetUp: Type.Boolean({ description: 'false until the first administrator is created' }),
  relyingPartyId: Type.String({ description: 'the domain of the passkeys (WebAuthn, section 4)' }),
  organizationCreation: OneOf('verified', 'staff'),
  brandName: Type.String(),
  mark: Type.Unsafe<string | null>({
    type: ['string', 'null'],
    description: 'the address of the picture in BRAND_MARK, or null: /brand/mark then is our own',
  }),
  accent: Type.String({ description: 'a color such as #0f5c4d' }),
  supportUrl: NullableString,
  privacyUrl: NullableString,
  services: Type.Array(
    Type.Object({
      name: Type.String(),
      origin: Type.String(),
      icon: Type.Unsafe<string | null>({ type: ['string', 'null'], description: 'a data: URL' }),
    }),
  ),
})
