type Invitation = { status: string; expiresAt: string; inviterMayInvite: boolean }

/** Whether an open invitation can't be accepted, because its inviter may no longer invite. Sending it again helps. */
export function isInviterMissing({ status, expiresAt, inviterMayInvite }: Invitation): boolean {
  return status === 'pending' && new Date(expiresAt).getTime() > Date.now() && !inviterMayInvite
}
