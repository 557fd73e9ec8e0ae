import { Type } from 'typebox'
import { Timestamp } from '../../platform/http/schemas.ts'

export const StoredEmails = Type.Object({
  emails: Type.Array(
    Type.Object({
      id: Type.String(),
      to: Type.String(),
      subject: Type.String(),
      text: Type.String(),
      html: Type.String(),
      createdAt: Timestamp,
    }),
  ),
})
