"""List words and characters that are a single token in most vocabularies."""

COMMON_TOKENS = frozenset(
    b"""\
aan aber ability able about above abs absolute absolutely absor abstract academic acc accept accepted access
accessible accident accommod accompl accord according account accounts accur accuracy accurate achieve acid acknow
across act action actions activ active activities activity actor actual actually adapt adapter add added adding
addition additional address addresses adds ade adj adjust adm admin administr administration adopt ads adult adults
adv advance advanced advant advantage advent advert advertising advice advis advoc aff affect affected affili afford
affordable after afternoon again against age agency agent agents ages ago agre agree agreed agreement ahead aid aim
air airport album alcohol alert alg ali align all alle alleg alloc allow allowed allowing allows almost alone along
alpha already als also alt alter altern alternative although always amazing amb among amount anal analy analysis and
android androidx ang angle anim animal animals animation ann announced annual another ans answer answers ant anti
anticip any anyone anything anywhere apart apartment api app appe appear appearance appeared appears append applic
applicable application applications applied apply appoint appointment appreciate appro approach appropriate approved
approximately apps aqu arch architect are area areas aren arg args argument arguments aria arm arms around arr
arrang array arrest arrive arrived art article articles artist artists arts ask asked asking aspect aspects ass
assembly assert assess assessment asset assets assign assist assistance associ associated assum assume ast async ath
atmos att attached attack attacks attempt attend attention attr attract attribute attributes auch aud audience audio
auf aug aus aut auth author authority authors auto autom automatically aux availability available avec average avoid
await award aware away awesome axios axis bab baby back background bad bag bal balance ball ban band bank bar bare
bas base based basic basis basket bat batch bath bathroom batter battery battle beach bear beat beaut beautiful
beauty became because become becomes becoming bed bedroom been beer before beg began begin beginning begins beh
behavior behind bei being bel belie belief believe belong below ben benef benefit benefits ber bes best bet beta
better between beyond bid bien big bigger biggest bike bil bill billion bin binary bind binding bio bir bird birth
birthday bis bit bits black blank ble bless blo block blocks blog blood blue board boat body bold bom bomb bon bond
bone bonus book books bool boolean boost boot border born bot both bott bottom bought bound bow box boy boys bra
brain branch brand brands bre bread break breakfast breath brief bright bring bringing brings bro broad broken
brother brought brown brows browser btn budget buf buff buffer bug build builder building buildings built bul bur
burn bus business businesses busy but butter button buy buying byte bytes cable cache cad cada cal calcul calculate
calendar call callback called calling calls cam came camera camp campaign can cancel cancer candid candidate
candidates cannot cant canvas cap capable capacity capital capt capture car carbon card cards care career carefully
carried carry cars cart cas case cases cash casino cast cat catalog catch categories category caught cause caused
causes cel cele celebr cell cells cent center central centre century cer cert certain certainly cette cha chain
chair chall challeng challenge challenges challenging chance chances chang change changed changes changing channel
channels chapter char character characters charg charge charged charges chart chat che cheap check checked checking
chem chemical chief child children cho chocolate choice choices choose choosing chose chosen church cin circ circuit
circum circumstances cit cities citiz citizens city civil claim claims clar class classes classic cle clean cleaning
clear clearly click client clients clim climate clin clinical clip clock clos close closed closer clothes cloud club
cluster cmd coach coal coast code codes coff coffee col cold coll collabor collect collected collection college
colon color colors colour column columns com comb combination combined come comes comfort comfortable coming comm
command comment comments commercial commission commit commitment committed common communication communities
community como comp compact compan companies company compar compare compared comparison compat compens compet
competition competitive compl comple complet complete completed completely completion complex compliance component
components compr compreh comprehensive comput computer con conc conce concentr concept concern concerned concerns
concrete cond condition conditions conduct conducted conf conference confidence config configuration confirm
confirmed conflic conj conn connect connected connection connections cons consc consent conserv consider considered
considering consist consistent consists console const constant constantly constit construct construction constructor
consult consum consumer consumers cont contact contain contained container containing contains content contents
contest context contin continu continue continued continues contr contract contrast control controller controls conv
conven convenient convers conversation convert cook cookie cookies cooking cool cop copies copy copyright cor core
corner corpor corporate corre correct correctly correspond cos cost costs cou could couldn coun count counter
countries country county couple cour course courses court cout cover coverage covered covers craft crash cre cream
creat create created creates creating creation creative cred credit crime criminal crisis crit criteria critic
critical cro cross crow crowd cruc crucial crusher crushing crypt ctx cub cul cult cultural culture cum cup cur curr
currency current currently cursor cust custom customer customers cut cutting cycle dad daily dam damage dan dance
danger dangerous dans dar dark das dass dat data database datas dataset date dates datetime dating datos daughter
day days dead deal deals death deb debate debt debug debut dec decades decide decided decision decisions deck decl
declar decor decre ded dedicated deep def default defense define defined definitely definition deg degree degrees
del delay delete deleted delicious delight deliver delivered delivery della delta dem demand democr demonstr den
dengan dent dep depart department depend depending depends deposit depth der des desc describe described description
design designed designer designs desire desired desk despite dess dest destination destroy det detail detailed
details detect determine determined dev develop developed developing development device devices dia diagn dialog
diam dict did didn die died dies diet dif diff differ difference differences different difficult dig digit digital
dil dim din dining dinner dipl dir dire direct direction directly director directory dis disable disabled disappoint
disc discount discover discovered discuss discussed discussion dise disease dish disk disp dispatch display
displayed dist distance distinct distr distributed distribution district div diverse django doc doctor document
documentation documents does doesn dog dogs doing doll dollars dom domain domin don done dont door doors dos dot
doub double doubt down download draft drag dram draw drawing dream dress drink drive driver drivers driving dro drop
drug drugs dry due dump dur duration durch during dut dynam dynamic each ear earlier early earn earth eas ease
easier easily easy eat eating echo econ econom economic economy edge edit edition editor educ education educational
een eff effect effective effectively effects efficiency efficient effort efforts egg eight ein eine einem einen
einer either ele elect election electric electronic eleg element elements elev elif elig elim els else email emb
emerg emergency emot emotional emp emph employ employee employees employment empty enable enabled enc encounter
encour encourage end ended endl ends enemy energ energy eng engagement engine engineering enh enhance enjoy enjoyed
enorm enough ens ensure ent enter entered entertainment entire entirely entity entr entre entries entry enum enumer
env environment environmental episode equ equal equipment era err error errors esc escort esp especially ess essay
essential est esta establish established estate este estim estimated etc eth euro evalu evaluation even evening
event events eventually ever every everyday everyone everything evid evidence evt exact exactly exam example
examples exc excellent except exception excess exchange excited exciting exclus exclusive execute execution
executive exem exerc exercise exhib exist existing exists exit exp expand expect expectations expected expensive
exper experience experienced experiences experiment expert expertise experts expl explain explained explore export
express expression ext extend extended extends extension extensive external extr extra extract extrem extremely eye
eyes fab fabric fac face facilities facility facing fact factor factors factory facts fail failed failure fair faire
fait faith fake fall false fam familiar families family famous fan fans fant fantastic far farm fasc fashion fast
faster fat father fault fav favor favorite favour fear feature featured features federal fee feed feedback feel
feeling feels fees feet fel fell fellow felt fem female fer fest festival fet fetch few fib field fields fif fig
fight figure fil file filename files fill filled film films filter filters fin final finally finance financial find
finding fine finish finished fire firm first fish fit fitness five fix fixed flag flags flash flat fle flex flexible
flight flo float floor flow flowers flu fly fmt foc focus focused fol fold folder folks follow followed following
follows font food foods foot football for force forced forces fore foreach foreign forest forget form formal format
formation formed former forms formula fort forum forward found four fourth fra fragment frame framework fre free
freedom frequ frequency frequently fresh fri friend friendly friends fro from front fruit frustr fuel ful full fully
fun func function functional functions fund fundament fundamental funding funds funny furn furniture further fut
future gain gal gam game games gaming gang gap gar garage garden gas gather gave gay gear gel gem gen gender gene
gener general generally generate generated generation generic genre gent genu ger ges gest get gets getting gift
girl girls give given gives giving glad glass glob global goal goals god goes going gold golf gone good goods google
got goto gover govern governing government grab grad grade gran grand grant granted graph graphics grat gratis
gratuit gre great greater greatest green grid gro ground group groups grow growing grown growth guarante guarantee
guard guess guest guests guid guidance guide guidelines guitar gun gut guy guys gym hab haben habit had hair hal
half hall ham han hand handle handler handling hands hang happ happen happened happening happens happy har hard
hardware harm has hash hat hate have haven having hay haz head header headers health healthcare healthy hear heard
hearing heart heat heavy height hel held hell help helped helpful helping helps hem her here hero hers herself hes
het hidden hide hier high higher highest highlight highly him himself hip hire his hist histor historical history
hit hold holder holding holds holiday hom home homes hon honest honor hook hop hope hor horse hospital host hosting
hot hotel hour hours hous house household houses housing how however href html http https hub huge hum human hun
hundred hundreds hur hurt hus husband hyp ice ich icon ide idea ideal ideas ident identified identify identity idx
ign ignore ill illustr imag image images imagine img imm immediately imp impact imper impl implement implementation
implemented implements implied import importance important impossible impress impro improve improved improvement inc
inches incident incl includ include included includes including income incor incorpor incre increase increased
increases increasing incred incredible ind inde independ independent index indic indiv individual individuals
industrial industry inf infl influ influence info inform information informed infrastructure ing ingredients ini
init initi initial initialize inj injury inline inn inner innov innovative input ins insert inside inspir inspired
inst install installation installed instance instanceof instant instead instit institution institutions instr
instruction instructions instrument insurance int integer integr intended intent inter interact interest interested
interesting interests interface interior intern internal international internet interpret interval interview into
intr introdu introduced inv invalid invent invest investig investigation investment investors invol involved iron
island isn isol iss issue issued issues ist item items iter its itself jak jam java javax jed jest jew job jobs join
joined joint jour journal journey joy json jud jump jun jur just justice justify kan kann keep keeping keeps kept
key keys kick kid kids kil kill killed kind kinds king kit kitchen knew know knowing knowledge known knows kom kon
kont kosten lab label labels labor lack land lang language larg large larger largest las last lat late later latest
launch launched law laws lay layer layout lead leader leaders leadership leading leads learn learned learning least
leave leaves leaving lect led left leg legal legend len length les less lessons let lets letter letters level levels
lib library lic license lie lif life lifestyle lift light lights lik like liked likely likes lim limit limitations
limited lin line lines link linked links lip liqu liquid list lista listed listen listener listening listing lists
lit liter little liv live lived lives living load loaded loading loan loans loc local located location locations
lock log logger logging logic login logo lombok lon long longer look looked looking looks loop los lose losing loss
lost lot lots love loved lovely loves low lower luck lunch lux mac mach machine machines mad made mag magazine magic
magn mai mail main mainly maint maintain maintenance mais major majority make makes making mal male man manage
managed management manager mand manifest manip manner manual manufact manufacturer manufacturing many map mar march
margin mark marked market marketing markets marriage married mas mask mass massage massive master mat match matches
matching material materials math matrix matter matters max maximum may maybe mayor meal mean meaning means meant
meas measure measures meat mechan med media medic medical medicine medium meet meeting meg mehr mej mel mem member
members membership memory men meng mens ment mental mention mentioned menu mer merc mere merge mes mess message
messages met meta metadata metal method methods mic micro mid middle might migr mil miles military milk mill million
millions min mind mine mini minimal minimum mining minister minor minute minutes mir mis miss missed missing mission
mist mit mix mixed mob mobile mock mod modal mode model models moder modern modified modify module mom moment
moments mon money monitor monitoring mont month monthly months mor more morning mort most mostly mot mother motion
motiv motor mount mouse mouth mov move moved movement moves movie movies moving msg much mul mult multi multip
multiple municip mur murder mus muscle music musical must mut mys myself myst nach nam name named names namespace
nan narr nas nat nation national native natur natural nature nav navigation near nearby nearly necess necessary neck
need needed needs neg negative neighbor neighborhood nerv net network networks neu never new news next nic nice
nicht nie night nil nine nob noch nod node nodes noise nom nombre nome non none nor norm normal normally north nos
not note noted notes nothing notice noticed notification nou nous nov novel now nue null nullptr num number numbers
numer numerous numpy nums nur nut obj object objects oblig observ observed obst obt obtain obtained obvious occ
occasion occup occur occurred occurs och oct odd oder off offer offered offering offers offic office officer
official officials offset often oil old older once one ones online only ont onto open opened opening oper operate
operating operation operations operator opin opinion opp opportunities opportunity oppos opt optim option optional
options ord order ordered orders ore org organ organic organization organizations orient orig origin original other
others otherwise our ourselves out outdoor output outside outstanding over overall override own owned owner owners
pack package packet pad padding pag page pages paid pain paint painting pair pal pan pand panel paper papers par
para param parameter parameters params parent parents park parking parse parser part parte partial partic particip
participants participate particular particularly parties partner partners partnership parts party pas pass passed
passing passion password past pat patch path patient patients pattern patterns pay paying payload payment payments
pdf peace ped pel pen pent people per percent percentage perfect perfectly perform performance performed perhaps
period perm perman permission permissions permit pero pers person personal persons perspective pert pes pet pharm
phase philosoph phone phot photo photograph photos phys physical pic pick picked picture pictures pie piece pieces
pil pill pin pit pitch place placed placeholder places plain plan plane planet planned planning plans plant plants
plastic plate platform platforms play played player players playing plays ple please pleased plenty plot plt plugin
plus pod point pointer points pol polic police policies policy polit political poll poly pool poor pop popular
population por porn porno port portion pos pose posit position positions positive poss possess possible possibly
post posted posting posts pot potential pou pour pow power powerful pract practical practice practices pre prec
precis pred predict prefer preferred prefix preg pregn prem premier premium prepar prepare prepared pres presence
present presentation presented president press pressure pret pretty prev prevent previous previously pri price
prices prim primary prime princip principal print printf prior priority prison priv privacy private pro prob
probably proble problem problems proc proced procedure procedures proceed process processes processing prod produ
produce produced product production products prof profession professional professionals profile profit program
programme programs progress project projects prom promise promot promote prompt proof prop proper properly
properties property propos proposed props pros prot prote protect protected protection protein protest protocol
proud prov prove proven provid provide provided provider providers provides providing psych pub public publish
published pued puede pul pull pump pun pup pur purch purchase purchased pure purpose purposes purs push put puts
putting qual qualified quality quant quantity quarter que query quest question questions queue qui quick quickly
quiet quite quote rac race rad radi radio radius rain rais raise raised ram ran rand random range rank rap rapid
rare rat rate rates rather rating ratio raw reach reached react reaction read reader readers reading readonly ready
real reality realize really rear reason reasonable reasons reb rec rece receive received receiving recent recently
recipe recogn recognized recomm recommend recommended recon record recorded records recover recovery recruit rect
red redirect redistribute redu reduce reduced ref refer reference reflect reform refresh reg regard regarding region
regional regions register registered registration regul regular regularly regulations rein reject rel related
relation relations relationship relationships relative relatively relax rele release released relevant reli reliable
relig religious rem remain remaining remains remark remember remote remove removed ren rend render renew rent rental
rep repair repe replace replaced replacement reply report reported reporting reports represent represents reprodu
req requ request requested requests require required requirements requires res research reserved reset residents
resistance resolution resolve resource resources resp respect respond respons response responsibility responsible
rest restaur restaurant restaurants restr result resulting results ret retail return returned returns rev reve
revealed revenue reverse review reviews revis reward rich rid ride rig right rights ring ris rise risk risks river
road rob robot rock rod rol role roles roll rom roof room rooms root rot rough round rout route router routes
routine row rows rub rule rules rum run running runs sab sac sad saf safe safety said sal sale sales salt sam same
sample samples san sand sans sat satisf sav save saved saving saw say saying says scale scan scen scene sch schedule
scheduled schema scheme school schools science scient scientific scope score scores scr scre screen script scroll
sea search searching season seat sec second seconds secret section sector secure security sed see seed seeing seek
seeking seem seemed seems seen seg segment sein sel select selected selection selector self sell selling sem sen
send sender sending senior sens sense sensor sent separ separate sequence ser serial series serious serv serve
served server service services serving ses session sessions set sets sett setting settings setup seu seven sever
several sex sexual sexy sha shall shape share shared shares sharing she sheet shell shift ship shipping shock shoes
shoot shop shopping short shot should show showed shower showing shown shows shr shut sich sick side sides sie sig
sign signal signature signed signific significant significantly signs sil silver sim similar simpl simple simply sin
since sind sing single singles sister sit site sites sitting situ situation situations six size sizeof sizes skill
skills skin skip sky sle sleep slight slightly slot slots slow small smaller smart smile smooth snap snow sob sobre
soc soci social society socket soft software sol solar sold sole solid solo solution solutions solve som some
someone something sometimes son song songs sont soon sort sorted sou soul sound sounds source sources south space
spaces span spe speak speaking spec special species specific specifically specified spect speech speed spend
spending spent spin spirit spiritual spl split spons sport sports spot spr spread spring sql squ square src stack
staff stage stand standard standards standing stands star stars start started starting starts stat state stated
statement statements states static station stats status stay std ste steel step steps stick still stim stock stone
stop stopped storage store stored stores stories storm story str straight strateg strategies strategy stre stream
street strength stress strict string strings stroke strong struct structure structures strugg stud student students
studies studio study stuff style styled styles sua sub subject submit submitted subs subscription substant
substantial suc succ success successful successfully such sudden suff suffer sugar suggest suggested suit suitable
suite sum summary summer sun sup super superior supplies supply support supported supporting supports supposed sur
sure surface surg surgery surpr surprise surround surrounding surv survey sus susp sust sustain swe sweet switch sym
symbol sympt symptoms syn sys system systems tab table tables tablet tag tags tail tak take taken takes taking tal
talent talk talking tall tamb tan tank tap tar target task tasks taste taught tax taxes tea teach teacher teachers
teaching team teams tech techn technical technique techniques technologies technology teen teeth tel tele television
tell telling tells tem temp temper temperature template tempor ten tend tent ter term termin terms terr terror test
tested testing tests text texture than thank thanks that the their them theme themselves then theory therapy there
therefore these they thick thing things think thinking third this thorough those though thought thoughts thous
thousands thr thread threat three through throughout throw throws thus ticket tickets tid tight til tile till tim
time timeout timer times tiny tip tipo tips tit title tmp tod today todo todos together tok token tokens told tom
ton too took tool tools top topic topics tor torch tot total totally tou touch tough tour tout toward towards town
tra trab track tracking trad trade trading tradition traditional traff traffic trail train training trait trans
transaction transfer transform transition transl transport trav travel tre treat treated treatment tree trees trend
trends tri trial trib tried trigger trim trip tro trouble truck true truly trust truth try trying tub tum tun tur
turn turned turning turns tut twe twice two txt typ type typeof types typical typically uint ult uma una unable und
undefined under understand understanding une unf uniform unique unit units univers university unknown unless uns
unsigned unt until untuk upcoming update updated updates upgrade upload upon upper urban uri url usage use used
useful user username users uses using usual usually util vac vacation vacc vag val valid validate validation valor
valuable value values van var vari variable variables variant variety various vary vast vec vector veget veh vehicle
vehicles vel ven vend vent ver verb verify vers version versions vert vertical very veter vez via vibr vict vid
video videos vie view views vill village viol violence vir virt virtual virus vis visible vision visit visited
visiting visitors visual vit vital viv voc voice void vol volt volume volunte von voor vor vot vote votre vous vul
vulner wait waiting wake walk walking wall walls want wanted wants war warm warning warrant warranty was wasn waste
watch watching water wave way ways weak wealth wear wearing weather web website websites wedding week weekend weekly
weeks weight wel welcome well went wer werden were west wet what whatever whe wheel when whenever where whether
which while white who whole whom whose why wid wide widely widget width wie wife wild will willing win wind window
windows wine winner winning winter wir wird wire wis wish with withdraw within without witness woman women won
wonder wonderful wood wor word words work worked workers working works world worldwide worry worse worst worth would
wrap writ write writer writers writing written wrong wrote wur www xml yang yard year years yellow yes yesterday yet
yield you young your yourself youth zero zijn zip zone zum zur
""".split()
)
"""The first 4,000 lower-case words of three letters or more in both o200k and cl100k.

Each is one token there after a space; other vocabularies contain most of them.
"""

COMMON_CHARACTERS = frozenset(
    "彩天中的大时网人在发日一年线乐分京开国车月是三视快不久赛平争有霸新频娱台下看官么奖码本上费品免合吗色了机号片注文亚产重方期美全信影区站公金高成洲地理用法怎无电观图小址生和最现个以会手件载家多市为名作庆"
    "能出爱版精代行可户提计来女元游万县自到体主数册情子利我五道第前经要果二安资真博好入字者播特点这划性动心商业间部学级事定里买后度关水球工玩通清投加香规源钱内料表对系报直登软实戏综同说结送服位接城什放面于"
    "技场管拍交司回正录总無夜如论式请目选客解页院港老之外门过牌今进所取单明群等据记他长力六少化次四热男福更民务与当山哪得推比神马类走相保青意联時此卡先都示值社建赢你集际海米也幕口讯就运息育制其势招量样双任"
    "物查州円格超做程西设何去器专话们题展布星原韩购知速亿十东员路律宝黄科链南没活被百阳巧型将教偷音使属近限改领江首而流政标评起打参章蕉导至世局王预容然测返空堂草毛龙求置未思红足碰苏黑靠肖还组算编证问共华统"
    "传間赌婷价装感店立奇着友坛输周午易持啪称从常众白言优告九强電考想荐包吧认骗及基破假斯太完因介狠云消创妻头除已身只例克很干那应功收支权责北列界读妇但助战案态处指办率受存申票闻伊房条连两种转书锋付光增款询"
    "师花修备团邀省整准广始必股供调并赚给企风党些木火操则向竞充尔士委虎航失军试术历河环营项验极画治复几达德由别库医另林激财模具土記反节深牛排需又網八配倍姐早或追密業愛皇場圖端非陆造動每研演英带杀引丰飞盘售"
    "击语步盛室報质稳盟川爽笑形校照钟队史确住拉富伦乱施各気效变旗私气宁食脑销份获熟否冠议尼谱初辑张义像让停索春声析象见載止职後络說账盈央约段見漫您显享古简银才税升沙禁鱼胆维挂习便板即野错败七满再死控汽潮序"
    "命稿护额己续详状防济右刷線開该材越岁究番永晚視断儿左千望典喜监田兴丁欢纪休志夫换話妹巴退凰互素兑村透罗略落根词病康留石述斗决把哥举写油個射她采构欧核府答低余底域旅按體県边候待波普绍國書味智秒细警費益找"
    "発险漏菲餐套座約藏谁兰迎搜健機務剧微均景随印派猜切签境良長差狗惠围半况夏東农故策乳范艇価阿車予攻卓依李胜吉角宾违問菜秘酒降厅积致园頻湖识许季血媒篮温鲁武母听連計摸威雷哈実难篇撸衣截跑谢居负融族承吃览压"
    "艺箱检误様歌俺养込坚远诉尚币眼审売协货班订汇奶風添丝副短朝严語肉孩啊念讲害善跟設亲终赔湾尊露玄蛋婆豪离関朋执津铁仅零員革贴乡贵键岛移符曲玉伯担森串婚择叫响現欲噜卫邮织対楽拿批描資希兵且辆觉評课結犯插仙"
)
"""The first 1,000 Chinese characters that are tokens of o200k."""
