import { authentication } from '../shared/api/authentication.ts'
import { queryClient } from '../shared/api/queries.ts'
import { InlineConfirm } from '../shared/forms/InlineConfirm.tsx'

type SignOutUsersProps = { ids: ReadonlySet<string>; onDone: () => void }

/** Revokes the sessions of each user with its own request, so that each has its audit event. */
export function SignOutUsers({ ids, onDone }: SignOutUsersProps) {
  const users = ids.size === 1 ? 'user' : 'users'

  async function revokeAll() {
    for (const userId of ids) await authentication.admin.revokeUserSessions({ userId })
    await queryClient.invalidateQueries()
  }

  return (
    <div className="bulk">
      <p>
        {ids.size} {users} selected
      </p>
      <InlineConfirm
        label="Sign out everywhere"
        about={`the ${ids.size} selected`}
        question={`Sign out ${ids.size} ${users} on all devices? They can sign in again.`}
        confirmLabel="Sign them out"
        pendingLabel="Signing out…"
        action={revokeAll}
        onDone={onDone}
      />
    </div>
  )
}
