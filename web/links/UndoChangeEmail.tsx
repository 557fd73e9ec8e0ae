import { undoChangeEmail } from './endpoints.ts'
import { LinkPage } from './LinkPage.tsx'

export function UndoChangeEmail() {
  return (
    <LinkPage
      heading="Undo the change of your email address?"
      lead={({ email, newEmail }) => (
        <>
          Your account changes back from <strong>{email}</strong> to <strong>{newEmail}</strong>, and is signed out on
          all devices. The password and the passkeys stop working, apps lose their access, and two-step verification
          that was set up after the change is turned off. We’ll email you a link to choose a new password.
        </>
      )}
      action={undoChangeEmail}
      label="Undo the change"
      pendingLabel="Undoing…"
      remedy="If the change was undone, look for our email with a link to choose a new password. If it wasn’t, and you did not make it yourself, contact an administrator."
      done={{
        heading: 'Your former address is back',
        lead: 'You’re signed out on all devices. We’ve sent you an email with a link to choose a new password.',
        next: { label: 'Go to sign in', path: '/sign-in' },
      }}
    />
  )
}
