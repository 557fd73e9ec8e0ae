import { deleteAccount } from './endpoints.ts'
import { LinkPage } from './LinkPage.tsx'

export function DeleteAccount() {
  return (
    <LinkPage
      heading="Delete your account?"
      lead={({ email }) => (
        <>
          The account of <strong>{email}</strong>, its sessions and its memberships are deleted for good. Organizations
          with no other member are deleted too. We can’t restore them.
        </>
      )}
      action={deleteAccount}
      label="Delete my account"
      pendingLabel="Deleting…"
      remedy="If you can still sign in and want to delete your account, ask for a new email there."
      kind="danger"
      done={{
        heading: 'Your account is deleted',
        lead: 'Thank you for having been here.',
        next: { label: 'Go to sign in', path: '/sign-in' },
      }}
    />
  )
}
