import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Test } from 'tap'
import { httpServer } from './servers.ts'

type Shop = { orders: Map<string, { id: string; item: string }>; cart: string[]; password: string }
type Request = { body: string; isMember: boolean; hasToken: boolean; id: string; shop: Shop }
type Answer = { status?: number; type?: string; headers?: Record<string, string>; body?: string }

const token = 'token-of-ann'
const prices: Record<string, number> = { Lamp: 40, Chair: 85, Table: 210 }

/** Account to log in with: `ann@shop.example` and `password`. */
export const webShop = (t: Test, password: string) => {
  const shop: Shop = { orders: new Map([['7', { id: '7', item: 'Lamp' }]]), cart: [], password }
  return httpServer(t, (request, response) => serve(request, response, shop))
}

const serve = async (request: IncomingMessage, response: ServerResponse, shop: Shop): Promise<void> => {
  const { method = 'GET', headers } = request
  const { pathname } = new URL(request.url ?? '/', 'http://shop')
  let body = ''
  for await (const part of request) body += part
  const isMember = headers.cookie?.includes('session=ann') === true
  const hasToken = headers.authorization === `Bearer ${token}`
  const [, id = ''] = /^\/api\/orders\/(\w+)$/.exec(pathname) ?? []
  const route = routes[`${method} ${id === '' ? pathname : '/api/orders/:id'}`]
  const answer = route?.({ body, isMember, hasToken, id, shop }) ?? { status: 404, body: 'Nothing is here' }
  response.writeHead(answer.status ?? 200, {
    'content-type': answer.type ?? 'text/html; charset=utf-8',
    ...answer.headers,
  })
  response.end(answer.body ?? '')
}

const page = (title: string, body: string): Answer => ({
  body: `<!doctype html><html lang="en"><title>${title} – Shop</title><nav><a href="/">Home</a> <a href="/login">Sign in</a></nav><main><h1>${title}</h1>${body}</main></html>`,
})
const json = (value: unknown, status = 200): Answer => ({
  status,
  type: 'application/json',
  body: JSON.stringify(value),
})
const goTo = (location: string, headers: Record<string, string> = {}): Answer => ({
  status: 303,
  headers: { location, ...headers },
})

const routes: Record<string, (request: Request) => Answer> = {
  'GET /': () => page('Welcome', '<a href="/products">Products</a><a href="/help" target="_blank">Help</a>'),
  'GET /help': () => page('Help', '<p>Call us</p>'),
  'GET /login': () =>
    page(
      'Sign in',
      '<form method="post"><label>Email <input name="email"></label><label>Password <input name="password" type="password"></label><button>Sign in</button></form>',
    ),
  'POST /login': ({ body, shop }) => {
    const form = new URLSearchParams(body)
    if (form.get('email') !== 'ann@shop.example' || form.get('password') !== shop.password)
      return { ...page('Sign in', '<p role="alert">Email or password is wrong</p>'), status: 401 }
    return goTo('/account', { 'set-cookie': 'session=ann; Path=/; HttpOnly' })
  },
  'GET /account': ({ isMember, shop }) =>
    isMember
      ? page(
          'Your account',
          `<p>Welcome back, Ann</p><ul>${[...shop.orders.values()].map(({ id, item }) => `<li>Order ${id}: ${item}</li>`).join('')}</ul><a href="/invoice.csv">Invoice</a><button onclick="if (confirm('Really?')) this.textContent = 'Deleted'">Delete</button>`,
        )
      : goTo('/login'),
  'GET /invoice.csv': () => ({
    type: 'text/csv',
    headers: { 'content-disposition': 'attachment; filename="invoice.csv"' },
    body: 'item,price\nLamp,40\n',
  }),
  'GET /products': () =>
    page(
      'Products',
      `${Object.entries(prices)
        .map(
          ([name, price]) =>
            `<article data-testid="product"><h2>${name}</h2><p>${price} EUR</p><button onclick="add('${name}')">Add to cart</button></article>`,
        )
        .join(
          '',
        )}<p id="count">0 in cart</p><a href="/cart">Cart</a><script>const add = async (name) => { const answer = await fetch('/api/cart', { method: 'POST', body: name }); document.querySelector('#count').textContent = (await answer.json()).count + ' in cart' }</script>`,
    ),
  'POST /api/cart': ({ body, shop }) => json({ count: shop.cart.push(body) }),
  'DELETE /api/cart': ({ shop }) => {
    shop.cart.length = 0
    return { status: 204 }
  },
  'GET /cart': ({ shop }) =>
    page(
      'Cart',
      `<table>${shop.cart.map((name) => `<tr><td>${name}</td><td>${prices[name]}</td></tr>`).join('')}</table><p>Total: <strong data-testid="total">${shop.cart.reduce((sum, name) => sum + (prices[name] ?? 0), 0)} EUR</strong></p><a href="/checkout">Checkout</a>`,
    ),
  'GET /checkout': () =>
    page(
      'Checkout',
      '<iframe title="Payment" src="/payment"></iframe><p id="state">Waiting</p><script>addEventListener("message", () => { setTimeout(() => { document.querySelector("#state").textContent = "Order confirmed" }, 200) })</script>',
    ),
  'GET /payment': () =>
    page(
      'Payment',
      "<label>Card number <input></label><button onclick=\"parent.postMessage('paid', '*')\">Pay</button>",
    ),
  'POST /api/token': ({ body, shop }) =>
    (JSON.parse(body) as { password?: string }).password === shop.password
      ? json({ token })
      : json({ message: 'no' }, 401),
  'GET /api/orders': ({ hasToken, shop }) =>
    hasToken ? json([...shop.orders.values()]) : json({ message: 'no token' }, 401),
  'POST /api/orders': ({ hasToken, body, shop }) => {
    if (!hasToken) return json({ message: 'no token' }, 401)
    const order = { id: String(100 + shop.orders.size), item: (JSON.parse(body) as { item: string }).item }
    shop.orders.set(order.id, order)
    return json(order, 201)
  },
  'GET /api/orders/:id': ({ id, shop }) => {
    const order = shop.orders.get(id)
    return order === undefined ? json({ message: 'no such order' }, 404) : json(order)
  },
  'DELETE /api/orders/:id': ({ id, hasToken, shop }) => {
    if (hasToken) shop.orders.delete(id)
    return { status: hasToken ? 204 : 401 }
  },
}
