import type { Static } from 'typebox'
import { useLocation } from 'wouter'
import type { RemoveUserResponse } from '../../../server/features/staff/users/schemas.ts'
import { refreshPages } from '../../shared/api/queries.ts'
import { isolated } from '../../shared/format/isolated.ts'
import { workingKeys } from '../../shared/format/working-keys.ts'
import { InlineConfirm } from '../../shared/forms/InlineConfirm.tsx'
import { showNotice } from '../../shared/routing/page-state.ts'
import { useIsOnPage } from '../../shared/routing/use-is-on-page.ts'
import { postStaffEndpoint } from '../common/staff-endpoints.ts'
import type { StaffUser } from './queries.ts'

export function DeleteUser({ user: { id, name, email } }: { user: StaffUser }) {
  const [, navigate] = useLocation()
  const isOnPage = useIsOnPage()

  async function remove() {
    const { apiKeys } = await postStaffEndpoint<Static<typeof RemoveUserResponse>>('remove-user', { userId: id })
    const keys = apiKeys.map((key) => ({ name: `${isolated(key.name)} (${isolated(key.organizationName)})` }))
    if (isOnPage()) navigate('/staff/users')
    showNotice(`${name} is deleted.${workingKeys('they', keys)}`)
    void refreshPages()
  }

  return (
    <InlineConfirm
      label="Delete…"
      about={email}
      question={
        <>
          Delete <strong>{name}</strong> with all sessions, passkeys and memberships? An organization with no other
          member is deleted too. It can’t be undone.
        </>
      }
      confirmLabel="Delete this user"
      pendingLabel="Deleting…"
      typedName={email}
      action={remove}
    />
  )
}
