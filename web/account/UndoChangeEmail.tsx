import { undoChangeEmail } from './endpoints.ts'
import { LinkPage } from './LinkPage.tsx'

export function UndoChangeEmail() {
  return (
    <LinkPage
      heading="Take back the change of address?"
      lead="Your account gets its former email address back, and everyone who is signed in to it is signed out. The password no longer works: we’ll send you a letter with a link to choose a new one."
      confirm={undoChangeEmail}
      label="Take back the change"
      pendingLabel="Taking back…"
      remedy="If somebody else changed your address, turn to those who run this service."
      done={{
        heading: 'Your former address is back',
        lead: 'Everyone was signed out. A letter is on its way to your address, with a link to choose a new password.',
        next: { label: 'Go to sign in', path: '/sign-in' },
      }}
    />
  )
}
