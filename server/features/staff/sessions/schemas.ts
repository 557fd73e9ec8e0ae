import { Type } from 'typebox'
import { ListedSession } from '../../../core/sessions/schemas.ts'
import { Fields, Id, Secret } from '../../../platform/http/schemas.ts'

export const UserIdBody = Fields({ userId: Id })
export const SessionsResponse = Type.Object({ sessions: Type.Array(ListedSession) })
export const RevokeUserSessionBody = Fields({ sessionToken: Secret })
