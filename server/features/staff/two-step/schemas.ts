import { Fields, Id, Line } from '../../../platform/http/schemas.ts'

export const REASON_LENGTH_MAXIMUM = 200
export const Reason = Line(REASON_LENGTH_MAXIMUM)
export const ResetTwoStepBody = Fields({ userId: Id, reason: Reason })
