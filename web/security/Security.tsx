import { useCaller } from '../shared/api/caller.ts'
import { FramePage } from '../shared/components/FramePage.tsx'
import { ChangeEmailSection } from './ChangeEmailSection.tsx'
import { DeleteAccountSection } from './DeleteAccountSection.tsx'
import { ImpersonationSection } from './ImpersonationSection.tsx'
import { PasskeySection } from './PasskeySection.tsx'
import { PasswordSection } from './PasswordSection.tsx'
import { SecurityHistory } from './SecurityHistory.tsx'
import { SessionList } from './SessionList.tsx'

export function Security() {
  const { user, session } = useCaller()
  const isImpersonated = Boolean(session.impersonatedBy)
  return (
    <FramePage heading="Security" lead={`How ${user.email} signs in, and where.`}>
      <PasskeySection userId={user.id} />
      <PasswordSection user={user} />
      <ChangeEmailSection email={user.email} />
      <SessionList currentId={session.id} />
      {/* The service does not show these to staff who impersonate the user. */}
      {!isImpersonated && (
        <>
          <SecurityHistory />
          <ImpersonationSection />
          <DeleteAccountSection email={user.email} />
        </>
      )}
    </FramePage>
  )
}
