import { useCaller } from '../shared/api/caller.ts'
import { FramePage } from '../shared/components/FramePage.tsx'
import { ChangeEmailSection } from './ChangeEmailSection.tsx'
import { DeleteAccountSection } from './DeleteAccountSection.tsx'
import { PasskeySection } from './PasskeySection.tsx'
import { PasswordSection } from './PasswordSection.tsx'
import { SessionList } from './SessionList.tsx'

export function Security() {
  const { user, session } = useCaller()
  return (
    <FramePage heading="Security" lead={`How ${user.email} signs in, and where.`}>
      <PasswordSection email={user.email} />
      <PasskeySection />
      <SessionList currentId={session.id} />
      <ChangeEmailSection email={user.email} />
      <DeleteAccountSection email={user.email} />
    </FramePage>
  )
}
