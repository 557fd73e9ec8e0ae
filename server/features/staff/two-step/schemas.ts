import { RESET_REASON_LENGTH_MAXIMUM } from '../../../core/field-limits.ts'
import { Fields, Id, Line } from '../../../platform/http/schemas.ts'

export const Reason = Line(RESET_REASON_LENGTH_MAXIMUM)
export const ResetTwoStepBody = Fields({ userId: Id, reason: Reason })
