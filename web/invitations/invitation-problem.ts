import type { ErrorCode } from '../../server/platform/http/errors.ts'
import { findValue } from '../shared/format/find-value.ts'

type Problem = { heading: string; explanation: string }

const PROBLEMS: Partial<Record<ErrorCode, Problem>> = {
  INVITATION_NOT_FOUND: {
    heading: 'There is no invitation here',
    explanation:
      'If you have answered it already, sign in. Otherwise open the link in your invitation email again, in this browser. If it still doesn’t work, ask for a new invitation.',
  },
  INVITATION_EXPIRED: {
    heading: 'This invitation has expired',
    explanation: 'Invitations expire after a few days. Ask for a new one.',
  },
  INVITATION_CANCELED: {
    heading: 'This invitation was canceled',
    explanation: 'If you think that this is a mistake, ask an owner or admin of the organization.',
  },
  INVITATION_ALREADY_USED: {
    heading: 'This invitation has been used',
    explanation: 'Each invitation works once. If you have used it, sign in.',
  },
  INVITER_NO_LONGER_ALLOWED: {
    heading: 'This invitation is no longer valid',
    explanation:
      'The user who sent it can no longer invite others. Ask an owner or admin of the organization for a new one.',
  },
}

export function findInvitationProblem(code: string): Problem | undefined {
  return findValue(PROBLEMS, code)
}
