import { Type } from 'typebox'
import { Fields, Id } from '../../../platform/http/schemas.ts'

export const RetryEmailBody = Fields({ emailId: Id })
export const RetryEmailAnswer = Type.Object({ status: Type.Boolean(), message: Type.String() })
