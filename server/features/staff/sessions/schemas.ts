import { Type } from 'typebox'
import { Session } from '../../../core/sessions/schemas.ts'
import { Fields, Id, Secret } from '../../../platform/http/schemas.ts'

export const UserIdBody = Fields({ userId: Id })
export const SessionsAnswer = Type.Object({ sessions: Type.Array(Session) })
export const RevokeUserSessionBody = Fields({ sessionToken: Secret })
export const SuccessAnswer = Type.Object({ success: Type.Boolean() })
