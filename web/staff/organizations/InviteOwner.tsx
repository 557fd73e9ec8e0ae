import { refreshPages } from '../../shared/api/queries.ts'
import { EmailField } from '../../shared/forms/EmailField.tsx'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { OffButton } from '../common/OffButton.tsx'
import { postStaffEndpoint } from '../common/staff-endpoints.ts'
import { useIsAdministrator } from '../common/use-is-administrator.ts'

const LABEL = 'Invite an owner…'

/** For an organization without an owner who is not banned. */
export function InviteOwner({ organizationId }: { organizationId: string }) {
  if (!useIsAdministrator()) return <OffButton label={LABEL} reason="Only administrators invite owners." />
  return (
    <InlineConfirm
      label={LABEL}
      kind="main"
      question="Invite the owner of this organization? Earlier invitations of owners are canceled."
      confirmLabel="Invite"
      pendingLabel="Inviting…"
      doneNotice="The invitation is on its way. The tab “Invitations” shows what becomes of it."
      fields={<EmailField name="ownerEmail" label="Email address of the owner" autoComplete="off" />}
      action={(value) => postStaffEndpoint('invite-owner', { organizationId, ownerEmail: value('ownerEmail').trim() })}
      onDone={refreshPages}
    />
  )
}
