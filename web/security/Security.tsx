import { AccountPage } from '../account/AccountPage.tsx'
import { ChangeEmailSection } from './ChangeEmailSection.tsx'
import { DeleteAccountSection } from './DeleteAccountSection.tsx'
import { PasskeySection } from './PasskeySection.tsx'
import { PasswordSection } from './PasswordSection.tsx'
import { SessionList } from './SessionList.tsx'

export function Security() {
  return (
    <AccountPage heading="Security">
      {({ user, session }) => (
        <>
          <p className="lead">How {user.email} signs in, and where.</p>
          <PasswordSection email={user.email} />
          <PasskeySection />
          <SessionList currentId={session.id} />
          <ChangeEmailSection email={user.email} />
          <DeleteAccountSection email={user.email} />
        </>
      )}
    </AccountPage>
  )
}
