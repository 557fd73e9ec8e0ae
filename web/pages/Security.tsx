import { AccountPage } from '../components/AccountPage.tsx'
import { ChangeAddress } from '../components/ChangeAddress.tsx'
import { ChangePassword } from '../components/ChangePassword.tsx'
import { DeleteAccountSection } from '../components/DeleteAccountSection.tsx'
import { SessionList } from '../components/SessionList.tsx'

export function Security() {
  return (
    <AccountPage heading="Security">
      {({ user, session }) => (
        <>
          <p className="lead">How {user.email} signs in, and where.</p>
          <ChangePassword email={user.email} />
          <SessionList currentId={session.id} />
          <ChangeAddress email={user.email} />
          <DeleteAccountSection email={user.email} />
        </>
      )}
    </AccountPage>
  )
}
