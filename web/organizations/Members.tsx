import { MemberTable } from './MemberTable.tsx'
import { OrganizationPage } from './OrganizationPage.tsx'

export function Members() {
  return (
    <OrganizationPage heading="Members" isWide>
      {(shown) => <MemberTable {...shown} />}
    </OrganizationPage>
  )
}
