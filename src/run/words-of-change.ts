/** Space-separated words as a set. */
function words(...lines: readonly string[]): ReadonlySet<string> {
  return new Set(lines.flatMap((line) => line.split(' ')));
}

/** Verbs of which a call changes something, wherever they are in a name; each also in its third person. */
export const VERBS_OF_CHANGE = words(
  'accept acquire activate add admit answer append approve archive assign authorize ban borrow bump buy cancel checkin checkout',
  'claim close commit complete confirm consume create deactivate decrement delete deliver deploy deposit disable',
  'discard dispatch donate drop duplicate edit eject email enable enqueue enroll erase execute finish flush follow',
  'forget forward fulfill grant import increment ingest insert install invoice join kick kill launch leave lend like',
  'login logout merge mint modify mute mutate notify overwrite pause pay persist pin promote provision publish',
  'purchase purge push reboot redeem refund register reindex reject release remember remove rename renew reopen',
  'replace repay reschedule reserve reset restart restock restore resume retry return revoke rotate save sell',
  'send shorten signin signout signup spend store submit subscribe swap take terminate tick toggle track transfer trigger',
  'truncate unblock unfollow uninstall unlike unlock unpin unpublish unsubscribe update upload upsert upvote downvote',
  'visit vote watch withdraw wipe write wire',
);

/** Words that may as well be nouns: what the description says first decides between the two. */
export const NOUNS_OR_VERBS_OF_CHANGE = words(
  'block book call charge comment copy file hit invite issue lock log mail message move name note order patch place',
  'play pop post put record report request review schedule set ship sign sms start stop tag tweet',
);

/** Of arithmetic where the inputs are numbers or the next word says so; of change otherwise. */
export const VERBS_OF_ARITHMETIC = words('add append increment decrement swap set replace push pop');

export const NOUNS_OF_ARITHMETIC = words(
  'complex days fraction fractions hours integers intersection lists matrices matrix minutes months number numbers',
  'seconds strings sum sums text two union up values vector vectors weeks years difference',
);

/** Words of functions that only say something; each also in its third person. */
export const VERBS_OF_READING = words(
  'analyse analyze autocomplete browse calculate can check classify clock compare complement compute count',
  'convert current date decode define describe detect determine diff dice display distance draw echo encode estimate',
  'evaluate examine explain explore export extract fetch filter find flip forecast format generate geocode get give',
  'guess has hash help history info inspect is latest list load locate look lookup lowercase match measure now parse peek',
  'ping predict preview price print query random rank read recent recommend render report resolve retrieve reverse roll',
  'round say scan score search see select show shuffle simulate size solve sort split state stats status suggest',
  'sum summarise summarize tell test time toss trending translate uppercase validate verify version view weather work',
);

/** Particles that make one word of change out of two: "check out", "sign up". */
export const COMPOUNDS_OF_CHANGE = words('checkin checkout login logout signin signout signup optin optout');

/** Other languages than English, the forms in which they are used to name or to describe a function. */
export const FOREIGN_WORDS_OF_CHANGE = words(
  // German
  'abmelden abonnieren antworte antworten beantworten beantwortet aktualisiere aktualisieren aktualisiert anlege anlegen anmelden ausleihen ausleiht bearbeiten',
  'bearbeitet bestelle bestellen bestellt bezahle bezahlen bezahlt buche buchen bucht eintragen einlösen entferne',
  'entfernen entfernt erhöhen erhöht erstelle erstellen erstellt fügt hinzufügen hochladen kaufe kaufen kauft kündigen',
  'kündigt leert leiht lege legt lösche löschen löscht registrieren registriert reserviere reservieren reserviert',
  'schickt schreibe schreiben schreibt sende senden sendet setzt speichere speichern speichert sperren sperrt storniere',
  'stornieren storniert trägt überweise überweisen überweist verschicken verschickt versenden versendet veröffentlichen',
  'veröffentlicht verschieben verschiebt ändere ändern ändert zahlen zurücksetzen zurückgeben',
  // French
  'abonne achète acheter ajoute ajouter annule annuler commande commander crée créer efface effacer emprunte emprunter',
  'enregistre enregistrer envoie envoyer inscrire inscrit modifie modifier met paie payer publie publier rend rendre',
  'retire retirer réserve réserver supprime supprimer transfère transférer verse vide vider vote voter',
  // Spanish and Portuguese
  'actualiza actualizar adiciona adicionar agrega agregar alquila añade añadir apaga apagar atualiza atualizar borra',
  'borrar cancela cancelar compra comprar crea crear cria criar devuelve devolver elimina eliminar envía enviar envia',
  'excluir exclui guarda guardar inscribe insere inserir inserta insertar modifica modificar paga pagar presta prestar',
  'publica publicar registra registrar remove remover reserva reservar salva salvar transfere transferir transfiere vota',
  // Italian
  'acquista acquistare aggiorna aggiornare aggiunge aggiungere aggiungi annulla annullare cancella cancellare creare',
  'elimina eliminare invia inviare modificare prenota prenotare pubblica registra restituisce salvare trasferisce',
  // Dutch
  'aanmaken annuleer annuleren bestel bestellen betaal betalen boek boeken bewaar bewaart leen maakt opslaan plaats',
  'reserveer reserveren stuur stuurt sturen toevoegen verstuurt verwijder verwijderen verwijdert verzenden voegt wijzig',
  'wijzigen wijzigt zet',
  // Polish
  'anuluj dodaj dodaje kup płać rezerwuj rezerwuje tworzy usuń usuwa utwórz wyślij wysyła zapisuje zapisz zmień zmienia',
  // Russian and Ukrainian
  'бронирует видалити вставить добавить добавляет додати забронировать заказать записать записывает изменить изменяет',
  'купить надіслати обновить обновляет оплатить отменить отправить отправляет перевести переводит покупает создать',
  'создаёт создает сохранить сохраняет створити удалить удаляет',
  // Turkish
  'ekle ekler gönder gönderir güncelle günceller kaydet kaydeder oluştur oluşturur sil siler öde',
);

/** Of the same languages, for functions that only say something. */
export const FOREIGN_WORDS_OF_READING = words(
  'alle anzeigen berechne berechnet berechnen finde finden findet gibt hole holen holt liefert lies liest liste listet nennt',
  'prüfe prüft rechnet sagt suche suchen sucht zeige zeigen zeigt zählt',
  'affiche afficher calcule calculer cherche chercher compte donne liste lister lit recherche rechercher renvoie',
  'buscar busca calcula calcular consulta consultar cuenta dice lista listar muestra mostrar obtener obtiene obtém',
  'calcola cerca cercare conta elenca elenco leggi mostra trova',
  'geeft lijst toon toont zoek zoekt berekent',
  'lista oblicza pokaż pokazuje szukaj wyszukuje zwraca',
  'возвращает искать найти находит показать показывает показує рассчитывает список считает',
  'ara bul getir göster hesaplar listele listeler',
);

/** Of scripts without spaces, looked for anywhere in a name and at the beginning of a description. */
export const UNSPACED_WORDS_OF_CHANGE: readonly string[] = [
  ...words(
    '创建 新建 添加 新增 增加 加入 删除 移除 修改 更新 保存 存储 发送 提交 上传 下单 支付 付款 转账 预订 预约 取消 注册 发布 写入 借阅 借书 归还 设置 清空 购买 投票',
    '創建 新建 刪除 儲存 發送 更新 預訂 訂購 付款 轉帳 註冊 發佈',
    '作成 追加 削除 更新 変更 保存 送信 登録 予約 投稿 注文 支払 購入 取消 キャンセル 設定 書き込 振込 送金 借り 返却 投票',
    '생성 추가 삭제 수정 업데이트 저장 전송 보내 예약 주문 결제 취소 등록 구매 송금 투표',
  ),
];
