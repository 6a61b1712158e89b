/** The user that the first start makes was `owner@localhost`, which clients that check addresses refuse. */
export const ownerAddress: string[] = [
  `update users set email = 'owner@watchpost.localhost' where email = 'owner@localhost'
   and not exists (select 1 from users where email = 'owner@watchpost.localhost')`,
]
