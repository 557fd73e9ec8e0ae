import { authentication } from './authentication.ts'

export type Answer = 'accept' | 'reject'

export async function answerInvitation(invitationId: string, answer: Answer): Promise<void> {
  const { organization } = authentication
  await (answer === 'accept'
    ? organization.acceptInvitation({ invitationId })
    : organization.rejectInvitation({ invitationId }))
}
