import { undoChangeEmail } from '../api/own-endpoints.ts'
import { ConfirmPage } from '../components/ConfirmPage.tsx'

export function UndoChangeEmail() {
  return (
    <ConfirmPage
      heading="Take back the change of address?"
      lead="Your account gets its former email address back, and everyone who is signed in to it is signed out. If it wasn’t you who changed the address, choose a new password afterwards."
      confirm={undoChangeEmail}
      label="Take back the change"
      pendingLabel="Taking back…"
      remedy="If somebody else changed your address, turn to those who run this service."
      done={{
        heading: 'Your former address is back',
        lead: 'Everyone was signed out. If it wasn’t you who changed the address, choose a new password now.',
        next: { label: 'Choose a new password', path: '/forgot-password' },
      }}
    />
  )
}
