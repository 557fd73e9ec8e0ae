import { authentication } from '../shared/api/authentication.ts'
import { queryClient } from '../shared/api/queries.ts'
import { InlineConfirm } from '../shared/forms/InlineConfirm.tsx'

type RemoveMemberProps = { member: { organizationId: string; user: { name: string; email: string } } }

export function RemoveMember({ member }: RemoveMemberProps) {
  const { organizationId, user } = member
  return (
    <InlineConfirm
      label="Remove"
      about={user.name}
      question={
        <>
          Remove <strong>{user.name}</strong> ({user.email}) from the organization? The account stays.
        </>
      }
      confirmLabel="Remove this member"
      pendingLabel="Removing…"
      action={() => authentication.organization.removeMember({ memberIdOrEmail: user.email, organizationId })}
      onDone={() => queryClient.invalidateQueries()}
    />
  )
}
