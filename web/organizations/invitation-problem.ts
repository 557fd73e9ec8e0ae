import type { ErrorCode } from '../../server/platform/http/errors.ts'
import { findValue } from '../shared/format/find-value.ts'

export type Problem = { heading: string; explanation: string }

const ASK_AGAIN = 'Ask the person who invited you to send you a new invitation.'

const PROBLEMS: Partial<Record<ErrorCode, Problem>> = {
  INVITATION_NOT_FOUND: {
    heading: 'There is no invitation here',
    explanation:
      'Open the link in your invitation letter once more, in this browser. If it still doesn’t work, ask the person who invited you for a new one.',
  },
  INVITATION_EXPIRED: {
    heading: 'This invitation has expired',
    explanation: `Invitations hold for a few days. ${ASK_AGAIN}`,
  },
  INVITATION_CANCELED: {
    heading: 'This invitation was withdrawn',
    explanation: 'If you think that was a mistake, ask the person who invited you.',
  },
  INVITATION_ALREADY_USED: {
    heading: 'This invitation has been used',
    explanation: 'Each invitation works once. If it was you who used it, sign in with your email address and password.',
  },
  INVITER_NO_LONGER_ALLOWED: {
    heading: 'This invitation no longer counts',
    explanation:
      'The person who sent it can no longer invite people. Ask someone else in the organization for a new invitation.',
  },
}

/** Why an invitation can't be used and what to do, by the code the service gave. */
export function invitationProblem(code: string): Problem | undefined {
  return findValue(PROBLEMS, code)
}
