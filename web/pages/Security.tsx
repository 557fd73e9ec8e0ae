import { AccountPage } from '../components/AccountPage.tsx'
import { ChangeAddress } from '../components/ChangeAddress.tsx'
import { DeleteAccountSection } from '../components/DeleteAccountSection.tsx'
import { PasskeySection } from '../components/PasskeySection.tsx'
import { PasswordSection } from '../components/PasswordSection.tsx'
import { SessionList } from '../components/SessionList.tsx'

export function Security() {
  return (
    <AccountPage heading="Security">
      {({ user, session }) => (
        <>
          <p className="lead">How {user.email} signs in, and where.</p>
          <PasswordSection email={user.email} />
          <PasskeySection />
          <SessionList currentId={session.id} />
          <ChangeAddress email={user.email} />
          <DeleteAccountSection email={user.email} />
        </>
      )}
    </AccountPage>
  )
}
