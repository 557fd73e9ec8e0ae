import { refreshPages } from '../shared/api/queries.ts'
import { ConfirmPanel } from '../shared/forms/ConfirmPanel.tsx'
import { showNotice } from '../shared/routing/page-state.ts'
import type { Member } from './queries.ts'
import { RemovalQuestion } from './RemovalQuestion.tsx'
import { RevokesKeysField } from './RevokesKeysField.tsx'
import { removalNotice } from './removal-notice.ts'
import { removeMember } from './remove-member.ts'

type RemoveMemberProps = {
  member: Member
  organizationName: string
  onSend: () => void
  onClose: () => void
}

export function RemoveMember({ member, organizationName, onSend, onClose }: RemoveMemberProps) {
  const { name, email } = member.user

  async function remove(value: (name: string) => string) {
    onSend()
    const removed = await removeMember(member, value('revokesKeys') === 'on')
    showNotice(removalNotice([{ name, removed }]))
    await refreshPages()
  }

  return (
    <ConfirmPanel
      about={name}
      question={
        <RemovalQuestion organizationName={organizationName}>
          Remove <strong>{name}</strong> ({email})?
        </RemovalQuestion>
      }
      fields={<RevokesKeysField />}
      confirmLabel="Remove this member"
      pendingLabel="Removing…"
      action={remove}
      onClose={onClose}
    />
  )
}
