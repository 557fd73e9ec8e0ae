import { Filter } from '../../shared/components/Filter.tsx'
import { FramePage } from '../../shared/components/FramePage.tsx'
import { SearchField } from '../../shared/components/SearchField.tsx'
import { INVITATION_STATUS_NAMES } from '../../shared/format/invitation-names.ts'
import { useAddressValues } from '../../shared/routing/address-values.ts'
import { InvitationList, type InvitationPage } from '../common/InvitationList.tsx'
import { usePage } from '../common/use-page.ts'

export function Invitations() {
  const address = useAddressValues()
  const [email, status] = [address.get('email'), address.get('status')]
  const list = usePage<InvitationPage>('list-invitations', { email, status })
  return (
    <FramePage
      heading="Invitations"
      lead="“My invitation never came”: search for the address, and see what happened to its email."
      isWide
    >
      <div className="filters">
        <SearchField
          label="A part of the email address"
          value={email}
          onSearch={(text) => address.set({ email: text }, true)}
        />
        <Filter
          label="State"
          options={INVITATION_STATUS_NAMES}
          value={status}
          onChange={(state) => address.set({ status: state })}
        />
      </div>
      <InvitationList {...list} />
    </FramePage>
  )
}
